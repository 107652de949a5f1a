#include "session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <optional>
#include <string>

#include "event_stream.hpp"
#include "request_error.hpp"

namespace sluice::server {

namespace {

namespace http = boost::beast::http;
using serve::RequestError;
using serve::Response;

constexpr std::uint32_t kLongestHead = 16 * 1024;
constexpr std::size_t kFirstRead = 4096;
constexpr std::chrono::seconds kLinger{2};
constexpr std::size_t kMostBodies = std::size_t{256} << 20U;  // bytes of all requests that are being read or answered
constexpr std::size_t kBytesPerMillisecond = 100;             // that a client takes at least, of a long answer
constexpr std::size_t kMostDrained = std::size_t{1} << 20U;

std::string text_of(beast::string_view text) {
    return {text.data(), text.size()};
}

// Printable, without the query.
std::string shown_path(const std::string& target) {
    std::string path = target.substr(0, std::min<std::size_t>(target.find('?'), 200));
    for (char& c : path) {
        c = c > ' ' && c <= '~' ? c : '?';
    }
    return path;
}

// One connection, from its first request to its end.
class Session : public std::enable_shared_from_this<Session> {
  public:
    Session(ServerState& state, tcp::socket&& socket) : state_(state), connection_(state), stream_(std::move(socket)) {
        Failure unknown;
        const auto peer = stream_.socket().remote_endpoint(unknown);
        peer_ = unknown ? "?" : peer.address().to_string();
        stream_.socket().set_option(tcp::no_delay(true), unknown);
    }
    ~Session() { release(); }
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
    Session(Session&&) = delete;
    Session& operator=(Session&&) = delete;

    void start() { wait_for_request(); }

  private:
    // --- reading

    void wait_for_request() {
        if (buffer_.size() > 0) {
            read_head();
            return;
        }
        stream_.expires_after(first_ ? state_.settings.head_time : state_.settings.idle_time);
        stream_.async_read_some(buffer_.prepare(kFirstRead),
                                [self = shared_from_this()](Failure failure, std::size_t bytes) {
                                    if (self->ended_by(failure)) {
                                        return;
                                    }
                                    self->buffer_.commit(bytes);
                                    self->read_head();
                                });
    }

    void read_head() {
        first_ = false;
        parser_.emplace();
        parser_->header_limit(kLongestHead);
        parser_->body_limit(state_.guard->longest_body());
        stream_.expires_after(state_.settings.head_time);
        http::async_read_header(stream_, buffer_, *parser_, [self = shared_from_this()](Failure failure, std::size_t) {
            if (failure == http::error::header_limit) {
                self->refuse(431, "too_large", "the head of the request is too long: at most 16 kB are read");
            } else if (failure == http::error::body_limit) {
                self->refuse_body();
            } else if (failure.category() == make_error_code(http::error::bad_method).category() &&
                       failure != http::error::end_of_stream && failure != http::error::partial_message) {
                self->refuse(400, "http", "this is not an HTTP/1.1 request: " + failure.message());
            } else if (!self->ended_by(failure)) {
                self->check_head();
            }
        });
    }

    void check_head() {
        const auto& head = parser_->get();
        request_.head = {.method = text_of(head.method_string()),
                         .target = text_of(head.target()),
                         .host = text_of(head[http::field::host]),
                         .origin = text_of(head[http::field::origin]),
                         .fetch_site = text_of(head["Sec-Fetch-Site"]),
                         .authorization = text_of(head[http::field::authorization]),
                         .content_type = text_of(head[http::field::content_type]),
                         .peer = peer_};
        keep_alive_ = head.keep_alive() && !state_.ending;
        if (head.count(http::field::host) > 1 || head.count(http::field::authorization) > 1) {
            refuse(400, "http", "a header that must come once comes several times");
            return;
        }
        auto refusal = state_.guard->refusal(request_.head);
        request_.head.authorization.clear();  // nobody else needs it
        if (!refusal) {
            refusal = serve::Api::refusal(request_.head);
        }
        if (refusal) {
            // A body that follows is not read.
            keep_alive_ = keep_alive_ && parser_->is_done();
            send(std::move(*refusal));
            return;
        }
        if (beast::iequals(head[http::field::expect], "100-continue") && reserve()) {
            continue_answer_ = {http::status::continue_, head.version()};
            stream_.expires_after(state_.settings.write_time);
            http::async_write(stream_, continue_answer_, [self = shared_from_this()](Failure failure, std::size_t) {
                if (!self->ended_by(failure)) {
                    self->read_body();
                }
            });
            return;
        }
        if (reserve()) {
            read_body();
        }
    }

    void read_body() {
        stream_.expires_after(state_.settings.body_time);
        http::async_read(stream_, buffer_, *parser_, [self = shared_from_this()](Failure failure, std::size_t) {
            if (failure == http::error::body_limit) {
                self->refuse_body();
            } else if (failure.category() == make_error_code(http::error::bad_method).category() &&
                       failure != http::error::end_of_stream && failure != http::error::partial_message) {
                self->refuse(400, "http", "the body of the request cannot be read: " + failure.message());
            } else if (!self->ended_by(failure)) {
                self->request_.body = std::move(self->parser_->get().body());
                self->answer();
            }
        });
    }

    // The memory of all bodies together is bounded: false, and an answer, where this one does not fit.
    bool reserve() {
        if (reserved_ > 0 || refused_) {
            return !refused_;
        }
        const std::size_t most = state_.guard->longest_body();
        const auto length = parser_->content_length();
        const std::size_t bytes = length ? static_cast<std::size_t>(*length) : parser_->chunked() ? most : 0;
        if (state_.body_bytes + bytes > std::max(kMostBodies, 2 * most)) {
            refused_ = true;
            refuse(503, "busy", "too many rows are being sent at once: send the same again a little later");
            return false;
        }
        reserved_ = bytes;
        state_.body_bytes += bytes;
        return true;
    }
    // The request is answered, or nobody waits for the answer.
    void release() {
        state_.body_bytes -= reserved_;
        reserved_ = 0;
        state_.answering -= answering_ ? 1U : 0U;
        answering_ = false;
    }

    void answer() {
        ++state_.answering;
        answering_ = true;
        stream_.expires_never();
        state_.api->handle({.head = request_.head, .body = std::move(request_.body)},
                           [self = shared_from_this()](Response response) mutable {
                               // Moved, not copied: the session must end in this server's thread, not in a model's.
                               asio::io_context& io = self->state_.io;
                               asio::post(io, [self = std::move(self), response = std::move(response)]() mutable {
                                   self->send(std::move(response));
                               });
                           });
    }

    // --- writing

    void refuse(int status, const char* kind, const std::string& sentence) {
        keep_alive_ = false;
        send(serve::error_response(RequestError(status, kind, sentence)));
    }
    void refuse_body() {
        refuse(413, "too_large",
               fmt::format("the body is longer than {} bytes: send the rows in smaller batches",
                           state_.guard->longest_body()));
    }

    void send(Response response) {
        state_.counts.count_answer(response.status);
        if (state_.settings.log) {
            state_.settings.log(fmt::format("{} {} {} {}", peer_, shown_path(request_.head.method),
                                            shown_path(request_.head.target), response.status));
        }
        if (response.events) {
            send_events(std::move(response));
            return;
        }
        const bool head_only = request_.head.method == "HEAD";
        answer_ = {};
        answer_.result(static_cast<unsigned>(response.status));
        answer_.version(11);
        answer_.keep_alive(keep_alive_);
        for (const auto& [name, value] : serve::safe_headers()) {
            answer_.set(name, value);
        }
        for (const auto& [name, value] : response.headers) {
            answer_.set(name, value);
        }
        const std::size_t length = response.body.size();
        if (response.status != 204) {
            answer_.set(http::field::content_type, response.content_type);
            answer_.content_length(length);
        }
        if (!head_only) {
            answer_.body() = std::move(response.body);
        }
        stream_.expires_after(state_.settings.write_time +
                              (length / kBytesPerMillisecond) * std::chrono::milliseconds(1));
        serializer_.emplace(answer_);
        const auto written = [self = shared_from_this()](Failure failure, std::size_t) {
            self->serializer_.reset();
            self->answer_.body() = {};
            self->release();
            self->state_.end_if_idle();
            if (self->ended_by(failure)) {
                return;
            }
            if (self->keep_alive_) {
                self->request_ = {};
                self->wait_for_request();
            } else {
                self->linger();
            }
        };
        if (head_only) {
            http::async_write_header(stream_, *serializer_, written);
        } else {
            http::async_write(stream_, *serializer_, written);
        }
    }

    // The client may still be sending: what it sends is read and dropped, so that it gets the answer.
    void linger() {
        Failure ignored;
        stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
        stream_.expires_after(kLinger);
        drain(0);
    }
    void drain(std::size_t drained) {
        if (drained >= kMostDrained) {
            return;
        }
        buffer_.clear();
        stream_.async_read_some(buffer_.prepare(kFirstRead),
                                [self = shared_from_this(), drained](Failure failure, std::size_t bytes) {
                                    if (!failure) {
                                        self->drain(drained + bytes);
                                    }
                                });
    }

    // The connection has no more requests. With HEAD, the head alone is sent.
    void send_events(Response response) {
        const std::shared_ptr<serve::Subscription> subscription = std::move(response.events);
        if (request_.head.method == "HEAD") {
            response.body.clear();
            send(std::move(response));
            return;
        }
        start_event_stream(state_, std::move(connection_), stream_.release_socket(), subscription);
    }

    // True where the connection has ended: nothing else holds it then.
    bool ended_by(const Failure& failure) {
        if (failure == beast::error::timeout) {
            ++state_.counts.timeouts;
        }
        return static_cast<bool>(failure);
    }

    ServerState& state_;
    CountedConnection connection_;
    beast::tcp_stream stream_;
    beast::flat_buffer buffer_;
    std::optional<http::request_parser<http::string_body>> parser_;
    std::string peer_;
    serve::Request request_;
    http::response<http::string_body> answer_;
    http::response<http::empty_body> continue_answer_;
    std::optional<http::response_serializer<http::string_body>> serializer_;
    bool first_ = true;
    bool refused_ = false;
    bool answering_ = false;
    std::size_t reserved_ = 0;  // bytes of the body
    bool keep_alive_ = true;
};

}  // namespace

void start_session(ServerState& state, tcp::socket&& socket) {
    std::make_shared<Session>(state, std::move(socket))->start();
}

}  // namespace sluice::server
