// guard.hpp -- who may ask: checked from the head of a request, before its body is read.
//
//   Host          only names of this server: a page of another site that resolves to this address is refused
//   Origin        only pages of this server, where a browser says from which page it asks; no CORS header is ever sent
//   Authorization the token, where the server has one: for everything but the page itself and /healthz
//   rates         requests of one address per second, and wrong tokens far fewer
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "http_message.hpp"

namespace sluice::serve {

/// At most `per_second` on average and at once, for each of the last kMostPeers addresses.
class RateLimit {
  public:
    using Clock = std::chrono::steady_clock;
    explicit RateLimit(double per_second) : per_second_(per_second) {}
    [[nodiscard]] bool allows(const std::string& peer, Clock::time_point now, double cost = 1.0);
    static constexpr std::size_t kMostPeers = 4096;

  private:
    struct Peer {
        std::string address;
        double left;
        Clock::time_point at;
    };
    double per_second_;
    std::list<Peer> peers_;  // the one that came last is first
    std::unordered_map<std::string, std::list<Peer>::iterator> places_;
};

class Guard {
  public:
    struct Settings {
        std::vector<std::string> hosts = {};  ///< names and addresses of this server, without a port; IPv6 in brackets
        std::uint16_t port = 0;
        std::string token = {};  ///< empty: none is needed
        double requests_per_second = 20'000;
        double wrong_tokens_per_second = 5;
        std::size_t longest_body = std::size_t{16} << 20U;
    };
    explicit Guard(Settings settings);

    /// The answer where the request is refused; nothing where it may go on. May be called from any thread.
    [[nodiscard]] std::optional<Response> refusal(const RequestHead& head,
                                                  RateLimit::Clock::time_point now = RateLimit::Clock::now());
    [[nodiscard]] std::size_t longest_body() const noexcept { return settings_.longest_body; }
    [[nodiscard]] bool needs_token() const noexcept { return !settings_.token.empty(); }

  private:
    [[nodiscard]] bool is_own_host(std::string_view host) const;
    [[nodiscard]] bool is_own_origin(std::string_view origin) const;

    Settings settings_;
    std::mutex mutex_;
    RateLimit requests_;
    RateLimit wrong_tokens_;
};

/// What every answer has: no guessing of types, no frames, no script but the page's own, no cache.
[[nodiscard]] const std::vector<std::pair<std::string, std::string>>& safe_headers();

}  // namespace sluice::serve
