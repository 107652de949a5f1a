#include "guard.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>

#include "request_error.hpp"
#include "token.hpp"

namespace sluice::serve {

namespace {

std::string lower(std::string_view text) {
    std::string out(text);
    std::ranges::transform(out, out.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return out;
}

// "[::1]:8765" to "[::1]" and "8765"; the port is empty where there is none.
std::pair<std::string_view, std::string_view> host_and_port(std::string_view text) {
    const std::size_t bracket = text.find(']');
    const std::size_t colon = text.find(':', bracket == std::string_view::npos ? 0 : bracket);
    if (colon == std::string_view::npos) {
        return {text, {}};
    }
    return {text.substr(0, colon), text.substr(colon + 1)};
}

bool needs_no_token(std::string_view target) {
    const std::string_view path = target.substr(0, target.find('?'));
    return path == "/" || path == "/healthz" || path == "/v1/openapi.json" || path.starts_with("/page/");
}

}  // namespace

bool RateLimit::allows(const std::string& peer, Clock::time_point now, double cost) {
    auto place = places_.find(peer);
    if (place == places_.end()) {
        if (peers_.size() >= kMostPeers) {
            places_.erase(peers_.back().address);
            peers_.pop_back();
        }
        peers_.push_front({.address = peer, .left = per_second_, .at = now});
        place = places_.emplace(peer, peers_.begin()).first;
    }
    peers_.splice(peers_.begin(), peers_, place->second);
    Peer& known = peers_.front();
    const double passed = std::chrono::duration<double>(now - known.at).count();
    known.left = std::min(per_second_, known.left + (std::max(passed, 0.0) * per_second_));
    known.at = now;
    if (known.left < cost) {
        return false;
    }
    known.left -= cost;
    return true;
}

Guard::Guard(Settings settings)
    : settings_(std::move(settings)),
      requests_(settings_.requests_per_second),
      wrong_tokens_(settings_.wrong_tokens_per_second) {
    std::ranges::transform(settings_.hosts, settings_.hosts.begin(), lower);
}

bool Guard::is_own_host(std::string_view host) const {
    const auto [name, port] = host_and_port(host);
    return (port.empty() || port == fmt::format("{}", settings_.port)) &&
           std::ranges::find(settings_.hosts, lower(name)) != settings_.hosts.end();
}

bool Guard::is_own_origin(std::string_view origin) const {
    for (const std::string_view scheme : {"http://", "https://"}) {
        if (origin.starts_with(scheme)) {
            return is_own_host(origin.substr(scheme.size()));
        }
    }
    return false;  // "null" too: a page from a file or a sandbox
}

std::optional<Response> Guard::refusal(const RequestHead& head, RateLimit::Clock::time_point now) {
    const std::scoped_lock lock(mutex_);
    if (!requests_.allows(head.peer, now)) {
        return error_response(RequestError(429, "rate", "too many requests from this address: wait a second"));
    }
    if (!is_own_host(head.host)) {
        return error_response(RequestError(
            403, "host", "the Host of the request is no name of this server: name it with --host when it is started"));
    }
    if (!head.origin.empty() && !is_own_origin(head.origin)) {
        return error_response(RequestError(403, "origin", "requests from pages of other sites are refused"));
    }
    if (!head.fetch_site.empty() && head.fetch_site != "same-origin" && head.fetch_site != "none") {
        return error_response(RequestError(403, "origin", "requests from pages of other sites are refused"));
    }
    if (!settings_.token.empty() && !needs_no_token(head.target)) {
        constexpr std::string_view kScheme = "bearer ";
        const bool has_scheme = lower(std::string_view(head.authorization).substr(0, kScheme.size())) == kScheme;
        const std::string_view given =
            has_scheme ? std::string_view(head.authorization).substr(kScheme.size()) : std::string_view();
        if (!equal_in_constant_time(given, settings_.token)) {
            if (!wrong_tokens_.allows(head.peer, now)) {
                return error_response(
                    RequestError(429, "rate", "too many wrong tokens from this address: wait a second"));
            }
            Response response = error_response(
                RequestError(401, "token", "send the token of the server's token file: Authorization: Bearer TOKEN"));
            response.headers.emplace_back("WWW-Authenticate", "Bearer");
            return response;
        }
    }
    return std::nullopt;
}

const std::vector<std::pair<std::string, std::string>>& safe_headers() {
    static const std::vector<std::pair<std::string, std::string>> headers = {
        {"X-Content-Type-Options", "nosniff"},
        {"Content-Security-Policy",
         "default-src 'self'; img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; form-action 'none'; "
         "frame-ancestors 'none'"},
        {"X-Frame-Options", "DENY"},
        {"Referrer-Policy", "no-referrer"},
        {"Cross-Origin-Resource-Policy", "same-origin"},
        {"Cross-Origin-Opener-Policy", "same-origin"},
        {"Cache-Control", "no-store"}};
    return headers;
}

}  // namespace sluice::serve
