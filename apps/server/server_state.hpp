// server_state.hpp -- what the acceptor and all connections of a server share. One thread uses it.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/error.hpp>
#include <cstddef>
#include <memory>
#include <utility>

#include "event_hub.hpp"
#include "http_server.hpp"

namespace sluice::server {

namespace asio = boost::asio;
namespace beast = boost::beast;
using tcp = asio::ip::tcp;
using Failure = beast::error_code;

struct ServerState {
    HttpSettings settings;
    serve::ServerCounts& counts;
    std::shared_ptr<serve::EventCounts> events;
    serve::Guard* guard = nullptr;
    serve::Api* api = nullptr;
    std::size_t connections = 0;
    std::size_t answering = 0;   // requests whose answers are not written yet
    std::size_t body_bytes = 0;  // of the requests that are being read or answered
    bool ending = false;
    asio::io_context io{1};  // after the counts, which connections change when it ends
    tcp::acceptor acceptor{io};
    asio::signal_set signals{io};
    asio::steady_timer end_timer{io};

    ServerState(HttpSettings with, serve::ServerCounts& counted, std::shared_ptr<serve::EventCounts> counted_events)
        : settings(std::move(with)), counts(counted), events(std::move(counted_events)) {}

    void end_if_idle() {
        if (ending && answering == 0) {
            io.stop();
        }
    }
};

/// Counts a connection while it is open.
class CountedConnection {
  public:
    explicit CountedConnection(ServerState& state) : state_(&state) {
        ++state.connections;
        ++state.counts.connections;
        ++state.counts.connections_total;
    }
    ~CountedConnection() {
        if (state_ != nullptr) {
            --state_->connections;
            --state_->counts.connections;
        }
    }
    CountedConnection(CountedConnection&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
    CountedConnection(const CountedConnection&) = delete;
    CountedConnection& operator=(const CountedConnection&) = delete;
    CountedConnection& operator=(CountedConnection&&) = delete;

  private:
    ServerState* state_;
};

}  // namespace sluice::server
