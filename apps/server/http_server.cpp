#include "http_server.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <csignal>
#include <deque>
#include <optional>
#include <stdexcept>
#include <utility>

#include "event_hub.hpp"
#include "request_error.hpp"

namespace sluice::server {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using tcp = asio::ip::tcp;
using serve::RequestError;
using serve::Response;
using Failure = beast::error_code;

namespace {

constexpr std::uint32_t kLongestHead = 16 * 1024;
constexpr std::size_t kFirstRead = 4096;
constexpr int kEventSendBuffer = 64 * 1024;  // of the kernel, for each client that listens to events
constexpr std::chrono::seconds kLinger{2};
constexpr std::size_t kMostBodies = std::size_t{256} << 20U;  // bytes of all requests that are being read or answered
constexpr std::size_t kBytesPerMillisecond = 100;             // that a client takes at least, of a long answer
constexpr std::size_t kMostDrained = std::size_t{1} << 20U;
constexpr std::chrono::seconds kEndTime{5};  // for requests that are being answered when the server ends

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

}  // namespace

struct HttpServer::Shared {
    HttpSettings settings;
    serve::ServerCounts& counts;
    std::shared_ptr<serve::EventCounts> events;
    serve::Guard* guard = nullptr;
    serve::Api* api = nullptr;
    std::size_t sessions = 0;
    std::size_t answering = 0;   // requests whose answers are not written yet
    std::size_t body_bytes = 0;  // of the requests that are being read or answered
    bool ending = false;
    asio::io_context io{1};  // after the counts, which sessions change when it ends
    tcp::acceptor acceptor{io};
    asio::signal_set signals{io};
    asio::steady_timer end_timer{io};

    Shared(HttpSettings with, serve::ServerCounts& counted, std::shared_ptr<serve::EventCounts> counted_events)
        : settings(std::move(with)), counts(counted), events(std::move(counted_events)) {}

    void accept_next();
    void end();
    void end_if_idle() {
        if (ending && answering == 0) {
            io.stop();
        }
    }
};

// One connection, from its first request to its end.
class HttpServer::Session : public std::enable_shared_from_this<Session> {
  public:
    Session(Shared& shared, tcp::socket&& socket) : shared_(shared), stream_(std::move(socket)), timer_(shared.io) {
        ++shared_.sessions;
        ++shared_.counts.connections;
        ++shared_.counts.connections_total;
        Failure unknown;
        const auto peer = stream_.socket().remote_endpoint(unknown);
        peer_ = unknown ? "?" : peer.address().to_string();
        stream_.socket().set_option(tcp::no_delay(true), unknown);
    }
    ~Session() {
        release();
        if (subscription_) {
            subscription_->stop();
        }
        --shared_.sessions;
        --shared_.counts.connections;
    }
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
        stream_.expires_after(first_ ? shared_.settings.head_time : shared_.settings.idle_time);
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
        parser_->body_limit(shared_.guard->longest_body());
        stream_.expires_after(shared_.settings.head_time);
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
        keep_alive_ = head.keep_alive() && !shared_.ending;
        if (head.count(http::field::host) > 1 || head.count(http::field::authorization) > 1) {
            refuse(400, "http", "a header that must come once comes several times");
            return;
        }
        auto refusal = shared_.guard->refusal(request_.head);
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
            stream_.expires_after(shared_.settings.write_time);
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
        stream_.expires_after(shared_.settings.body_time);
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
        const std::size_t most = shared_.guard->longest_body();
        const auto length = parser_->content_length();
        const std::size_t bytes = length ? static_cast<std::size_t>(*length) : parser_->chunked() ? most : 0;
        if (shared_.body_bytes + bytes > std::max(kMostBodies, 2 * most)) {
            refused_ = true;
            refuse(503, "busy", "too many rows are being sent at once: send the same again a little later");
            return false;
        }
        reserved_ = bytes;
        shared_.body_bytes += bytes;
        return true;
    }
    // The request is answered, or nobody waits for the answer.
    void release() {
        shared_.body_bytes -= reserved_;
        reserved_ = 0;
        shared_.answering -= answering_ ? 1U : 0U;
        answering_ = false;
    }

    void answer() {
        ++shared_.answering;
        answering_ = true;
        stream_.expires_never();
        shared_.api->handle({.head = request_.head, .body = std::move(request_.body)},
                            [self = shared_from_this()](Response response) mutable {
                                // Moved, not copied: the session must end in this server's thread, not in a model's.
                                asio::io_context& io = self->shared_.io;
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
                           shared_.guard->longest_body()));
    }

    void send(Response response) {
        shared_.counts.count_answer(response.status);
        if (shared_.settings.log) {
            shared_.settings.log(fmt::format("{} {} {} {}", peer_, shown_path(request_.head.method),
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
        stream_.expires_after(shared_.settings.write_time +
                              (length / kBytesPerMillisecond) * std::chrono::milliseconds(1));
        serializer_.emplace(answer_);
        const auto written = [self = shared_from_this()](Failure failure, std::size_t) {
            self->serializer_.reset();
            self->answer_.body() = {};
            self->release();
            self->shared_.end_if_idle();
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

    // --- events

    void send_events(Response response) {
        Failure ignored;
        stream_.socket().set_option(asio::socket_base::send_buffer_size(kEventSendBuffer), ignored);
        if (request_.head.method == "HEAD") {
            response.events.reset();
            response.body.clear();
            send(std::move(response));
            return;
        }
        subscription_ = std::move(response.events);
        release();
        text_ = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n";
        for (const auto& [name, value] : serve::safe_headers()) {
            text_ += fmt::format("{}: {}\r\n", name, value);
        }
        text_ += "\r\n";
        stream_.expires_never();
        buffer_.clear();
        stream_.async_read_some(buffer_.prepare(1), [self = shared_from_this()](Failure, std::size_t) {
            self->close();  // it has gone, or sends what it must not
        });
        write_events();
        subscription_->listen([weak = weak_from_this(), &io = shared_.io] {
            asio::post(io, [weak] {
                if (const auto self = weak.lock()) {
                    self->events_wait_ = true;
                    self->write_events();
                }
            });
        });
        beat();
    }

    // What waits, one write at a time.
    void write_events() {
        if (writing_ || closed_) {
            return;
        }
        if (text_.empty() && events_wait_) {
            events_wait_ = false;
            keep_alive_ = subscription_->take(text_);  // false: these are the last
            last_ = !keep_alive_;
        }
        if (text_.empty()) {
            return;
        }
        writing_ = true;
        stream_.expires_after(shared_.settings.write_time);
        asio::async_write(stream_, asio::buffer(text_), [self = shared_from_this()](Failure failure, std::size_t) {
            self->writing_ = false;
            self->text_.clear();
            if (failure || self->last_) {
                if (failure == beast::error::timeout) {
                    ++self->shared_.events->cut;
                }
                self->close();
                return;
            }
            self->write_events();
        });
    }

    void beat() {
        timer_.expires_after(shared_.settings.beat);
        timer_.async_wait([weak = weak_from_this()](Failure failure) {
            const auto self = weak.lock();
            if (failure || !self || self->closed_) {
                return;
            }
            if (!self->writing_ && self->text_.empty()) {
                self->text_ = ": alive\n\n";
                self->write_events();
            }
            self->beat();
        });
    }

    // --- the end

    void close() {
        if (closed_) {
            return;
        }
        closed_ = true;
        if (subscription_) {
            subscription_->stop();
        }
        timer_.cancel();
        Failure ignored;
        stream_.socket().shutdown(tcp::socket::shutdown_both, ignored);
        stream_.close();
    }

    // True where the connection has ended: nothing else holds it then.
    bool ended_by(const Failure& failure) {
        if (failure == beast::error::timeout) {
            ++shared_.counts.timeouts;
        }
        return static_cast<bool>(failure);
    }

    Shared& shared_;
    beast::tcp_stream stream_;
    asio::steady_timer timer_;
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

    std::shared_ptr<serve::Subscription> subscription_;
    std::string text_;  // that is being written
    bool writing_ = false;
    bool events_wait_ = false;
    bool last_ = false;
    bool closed_ = false;
};

void HttpServer::Shared::accept_next() {
    acceptor.async_accept([this](Failure failure, tcp::socket socket) {
        if (ending) {
            return;
        }
        if (failure) {  // no descriptors are left, perhaps: not at once again
            end_timer.expires_after(std::chrono::milliseconds(50));
            end_timer.async_wait([this](Failure) {
                if (!ending) {
                    accept_next();
                }
            });
            return;
        }
        if (sessions >= settings.most_connections) {
            ++counts.refused_connections;
            Failure ignored;
            socket.close(ignored);
        } else {
            std::make_shared<Session>(*this, std::move(socket))->start();
        }
        accept_next();
    });
}

void HttpServer::Shared::end() {
    ending = true;
    Failure ignored;
    acceptor.close(ignored);
    end_timer.expires_after(kEndTime);
    end_timer.async_wait([this](Failure failure) {
        if (!failure) {
            io.stop();
        }
    });
    end_if_idle();
}

HttpServer::HttpServer(HttpSettings settings, serve::ServerCounts& counts, std::shared_ptr<serve::EventCounts> events)
    : shared_(std::make_unique<Shared>(std::move(settings), counts, std::move(events))) {
    Failure failure;
    const auto address = asio::ip::make_address(shared_->settings.address, failure);
    if (failure) {
        throw std::runtime_error(shared_->settings.address + " is not an address: give one such as 127.0.0.1 or ::1");
    }
    const tcp::endpoint endpoint(address, shared_->settings.port);
    shared_->acceptor.open(endpoint.protocol(), failure);
    if (!failure) {
        shared_->acceptor.set_option(asio::socket_base::reuse_address(true), failure);
        shared_->acceptor.bind(endpoint, failure);
    }
    if (!failure) {
        shared_->acceptor.listen(asio::socket_base::max_listen_connections, failure);
    }
    if (failure) {
        throw std::runtime_error(fmt::format("cannot listen on {} port {}: {}", shared_->settings.address,
                                             shared_->settings.port, failure.message()));
    }
}

HttpServer::~HttpServer() = default;

std::uint16_t HttpServer::port() const {
    return shared_->acceptor.local_endpoint().port();
}

void HttpServer::run(serve::Guard& guard, serve::Api& api) {
    shared_->guard = &guard;
    shared_->api = &api;
    shared_->signals.add(SIGINT);
    shared_->signals.add(SIGTERM);
    shared_->signals.async_wait([this](Failure failure, int) {
        if (!failure) {
            shared_->end();
        }
    });
    shared_->accept_next();
    shared_->io.run();
}

}  // namespace sluice::server
