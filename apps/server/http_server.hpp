// http_server.hpp -- HTTP/1.1 on a socket, in front of the API: listens, accepts, and ends. Boost is known to the sources of
// this program alone: here, in session.cpp (requests and answers) and in event_stream.cpp.
//
// One thread serves all connections. Whoever is slow is cut: see the times of HttpSettings. A
// client that listens to events and does not read them is cut too; the models never wait for it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "api.hpp"
#include "guard.hpp"
#include "metrics_page.hpp"

namespace sluice::server {

struct HttpSettings {
    std::string address = "127.0.0.1";
    std::uint16_t port = 8765;  ///< 0: any that is free
    std::size_t most_connections = 1000;
    std::chrono::milliseconds head_time{10'000};
    std::chrono::milliseconds body_time{60'000};
    std::chrono::milliseconds write_time{10'000};
    std::chrono::milliseconds idle_time{75'000};  ///< between two requests
    std::chrono::milliseconds beat{15'000};       ///< between two signs of life for those who listen to events
    /// Called for each answer: "127.0.0.1 GET /v1/models 200". Never the query or a header. Empty: no log.
    std::function<void(const std::string& line)> log = {};
};

class HttpServer {
  public:
    /// Listens, and accepts nothing yet. Throws std::runtime_error with the address and the reason.
    HttpServer(HttpSettings settings, serve::ServerCounts& counts, std::shared_ptr<serve::EventCounts> events);
    ~HttpServer();
    HttpServer(const HttpServer&) = delete;
    HttpServer& operator=(const HttpServer&) = delete;
    HttpServer(HttpServer&&) = delete;
    HttpServer& operator=(HttpServer&&) = delete;

    [[nodiscard]] std::uint16_t port() const;
    /// Serves until SIGINT or SIGTERM, then finishes what it has begun. The object outlives everything that answers.
    void run(serve::Guard& guard, serve::Api& api);

  private:
    struct Listener;
    std::unique_ptr<Listener> listener_;
};

}  // namespace sluice::server
