// metrics_page.hpp -- the state of all models and of the server as text for Prometheus. The labels are model, target, kind,
// code and le: never a variable, of which there may be thousands.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>

#include "registry.hpp"

namespace sluice::serve {

/// Of the server, counted by whoever has the sockets.
struct ServerCounts {
    std::atomic<std::uint64_t> connections_total{0};
    std::atomic<std::int64_t> connections{0};
    std::atomic<std::uint64_t> refused_connections{0};  ///< there were too many
    std::atomic<std::uint64_t> timeouts{0};
    std::array<std::atomic<std::uint64_t>, 600> answers{};  ///< by status
    void count_answer(int status) noexcept {
        if (status > 0 && static_cast<std::size_t>(status) < answers.size()) {
            ++answers[static_cast<std::size_t>(status)];
        }
    }
};

[[nodiscard]] std::string metrics_page(const Registry& registry, const EventCounts& events, const ServerCounts& server);

}  // namespace sluice::serve
