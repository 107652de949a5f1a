#include "http_server.hpp"

#include <fmt/format.h>

#include <csignal>
#include <stdexcept>
#include <utility>

#include "server_state.hpp"
#include "session.hpp"

namespace sluice::server {

namespace {

constexpr std::chrono::seconds kEndTime{5};  // for requests that are being answered when the server ends

}  // namespace

struct HttpServer::Listener : ServerState {
    using ServerState::ServerState;

    void accept_next();
    void end();
};

void HttpServer::Listener::accept_next() {
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
        if (connections >= settings.most_connections) {
            ++counts.refused_connections;
            Failure ignored;
            socket.close(ignored);
        } else {
            start_session(*this, std::move(socket));
        }
        accept_next();
    });
}

void HttpServer::Listener::end() {
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
    : listener_(std::make_unique<Listener>(std::move(settings), counts, std::move(events))) {
    Failure failure;
    const auto address = asio::ip::make_address(listener_->settings.address, failure);
    if (failure) {
        throw std::runtime_error(listener_->settings.address + " is not an address: give one such as 127.0.0.1 or ::1");
    }
    const tcp::endpoint endpoint(address, listener_->settings.port);
    listener_->acceptor.open(endpoint.protocol(), failure);
    if (!failure) {
        listener_->acceptor.set_option(asio::socket_base::reuse_address(true), failure);
        listener_->acceptor.bind(endpoint, failure);
    }
    if (!failure) {
        listener_->acceptor.listen(asio::socket_base::max_listen_connections, failure);
    }
    if (failure) {
        throw std::runtime_error(fmt::format("cannot listen on {} port {}: {}", listener_->settings.address,
                                             listener_->settings.port, failure.message()));
    }
}

HttpServer::~HttpServer() = default;

std::uint16_t HttpServer::port() const {
    return listener_->acceptor.local_endpoint().port();
}

void HttpServer::run(serve::Guard& guard, serve::Api& api) {
    listener_->guard = &guard;
    listener_->api = &api;
    listener_->signals.add(SIGINT);
    listener_->signals.add(SIGTERM);
    listener_->signals.async_wait([this](Failure failure, int) {
        if (!failure) {
            listener_->end();
        }
    });
    listener_->accept_next();
    listener_->io.run();
}

}  // namespace sluice::server
