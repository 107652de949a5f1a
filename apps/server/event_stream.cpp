#include "event_stream.hpp"

#include <fmt/format.h>

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <string>

namespace sluice::server {

namespace {

constexpr int kSendBuffer = 64 * 1024;  // of the kernel

class EventStream : public std::enable_shared_from_this<EventStream> {
  public:
    EventStream(ServerState& state, CountedConnection&& connection, tcp::socket&& socket,
                std::shared_ptr<serve::Subscription> subscription)
        : state_(state),
          connection_(std::move(connection)),
          stream_(std::move(socket)),
          timer_(state.io),
          subscription_(std::move(subscription)) {
        Failure ignored;
        stream_.socket().set_option(asio::socket_base::send_buffer_size(kSendBuffer), ignored);
    }
    ~EventStream() { subscription_->stop(); }
    EventStream(const EventStream&) = delete;
    EventStream& operator=(const EventStream&) = delete;
    EventStream(EventStream&&) = delete;
    EventStream& operator=(EventStream&&) = delete;

    void start() {
        text_ = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n";
        for (const auto& [name, value] : serve::safe_headers()) {
            text_ += fmt::format("{}: {}\r\n", name, value);
        }
        text_ += "\r\n";
        stream_.async_read_some(asio::buffer(from_client_), [self = shared_from_this()](Failure, std::size_t) {
            self->close();  // it has gone, or sends what it must not
        });
        write();
        subscription_->listen([weak = weak_from_this(), &io = state_.io] {
            asio::post(io, [weak] {
                if (const auto self = weak.lock()) {
                    self->events_wait_ = true;
                    self->write();
                }
            });
        });
        beat();
    }

  private:
    // What waits, one write at a time.
    void write() {
        if (writing_ || closed_) {
            return;
        }
        if (text_.empty() && events_wait_) {
            events_wait_ = false;
            last_ = !subscription_->take(text_);
        }
        if (text_.empty()) {
            return;
        }
        writing_ = true;
        stream_.expires_after(state_.settings.write_time);
        asio::async_write(stream_, asio::buffer(text_), [self = shared_from_this()](Failure failure, std::size_t) {
            self->writing_ = false;
            self->text_.clear();
            if (failure || self->last_) {
                if (failure == beast::error::timeout) {
                    ++self->state_.events->cut;
                }
                self->close();
                return;
            }
            self->write();
        });
    }

    void beat() {
        timer_.expires_after(state_.settings.beat);
        timer_.async_wait([weak = weak_from_this()](Failure failure) {
            const auto self = weak.lock();
            if (failure || !self || self->closed_) {
                return;
            }
            if (!self->writing_ && self->text_.empty()) {
                self->text_ = ": alive\n\n";
                self->write();
            }
            self->beat();
        });
    }

    void close() {
        if (closed_) {
            return;
        }
        closed_ = true;
        subscription_->stop();
        timer_.cancel();
        Failure ignored;
        stream_.socket().shutdown(tcp::socket::shutdown_both, ignored);
        stream_.close();
    }

    ServerState& state_;
    CountedConnection connection_;
    beast::tcp_stream stream_;
    asio::steady_timer timer_;
    std::shared_ptr<serve::Subscription> subscription_;
    std::array<char, 1> from_client_ = {};
    std::string text_;  // that is being written
    bool writing_ = false;
    bool events_wait_ = false;
    bool last_ = false;
    bool closed_ = false;
};

}  // namespace

void start_event_stream(ServerState& state, CountedConnection&& connection, tcp::socket&& socket,
                        std::shared_ptr<serve::Subscription> subscription) {
    std::make_shared<EventStream>(state, std::move(connection), std::move(socket), std::move(subscription))->start();
}

}  // namespace sluice::server
