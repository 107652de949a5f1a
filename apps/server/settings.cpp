#include "settings.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <charconv>
#include <functional>
#include <map>
#include <string_view>

#include "usage.hpp"

namespace sluice::server {

namespace {

using job::UsageError;

template <typename Number>
std::function<void(const std::string&)> number_into(Number& to, const std::string& name, Number least, Number most) {
    return [&to, name, least, most](const std::string& text) {
        Number number{};
        const char* end = text.data() + text.size();
        const auto [stop, problem] = std::from_chars(text.data(), end, number);
        if (problem != std::errc() || stop != end || !(number >= least && number <= most)) {
            throw UsageError(fmt::format("{} {}: give a number from {} to {}", name, text, least, most));
        }
        to = number;
    };
}

}  // namespace

Settings parse_settings(const std::vector<std::string>& words) {
    Settings out;
    const std::map<std::string, bool*> flags = {
        {"--insecure", &out.insecure}, {"--log", &out.log}, {"--quiet", &out.quiet}};
    std::map<std::string, std::function<void(const std::string&)>> options = {
        {"--listen", [&](const std::string& text) { out.listen = text == "localhost" ? "127.0.0.1" : text; }},
        {"--state", [&](const std::string& text) { out.state = text; }},
        {"--token-file", [&](const std::string& text) { out.token_file = text; }},
        {"--host", [&](const std::string& text) { out.hosts.push_back(text); }},
        {"--play",
         [&](const std::string& text) {
             if (text != "switching") {
                 throw UsageError(fmt::format("--play {}: there is one built-in stream: switching", text));
             }
             out.play = text;
         }},
        {"--watch", [&](const std::string& text) { out.watch = text; }},
        {"--watch-title", [&](const std::string& text) { out.watch_title = text; }},
        {"--watch-inputs", number_into<std::size_t>(out.watch_inputs, "--watch-inputs", 0, 1'000'000'000)},
        {"--watch-warmup", number_into<std::uint64_t>(out.watch_warmup, "--watch-warmup", 0, 1'000'000'000)},
        {"--port", number_into<std::uint16_t>(out.port, "--port", 0, 65535)},
        {"--rate", number_into<double>(out.rate, "--rate", 0.01, 100'000)},
        {"--max-body", number_into<std::size_t>(out.max_body, "--max-body", 1, 1024)},
        {"--max-connections", number_into<std::size_t>(out.max_connections, "--max-connections", 1, 100'000)},
        {"--max-models", number_into<std::size_t>(out.max_models, "--max-models", 1, 10'000)},
        {"--max-rate", number_into<double>(out.max_rate, "--max-rate", 1, 1e9)},
        {"--head-time", number_into<double>(out.head_time, "--head-time", 0.1, 3600)},
        {"--body-time", number_into<double>(out.body_time, "--body-time", 0.1, 3600)},
        {"--write-time", number_into<double>(out.write_time, "--write-time", 0.1, 3600)},
        {"--checkpoint-time", number_into<double>(out.checkpoint_time, "--checkpoint-time", 0.1, 1e6)}};
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::size_t equal = words[i].find('=');
        const std::string name = words[i].substr(0, equal);
        if (const auto flag = flags.find(name); flag != flags.end() && equal == std::string::npos) {
            *flag->second = true;
            continue;
        }
        const auto option = options.find(name);
        if (option == options.end()) {
            throw UsageError(fmt::format("unknown option {}\nSee sluice serve --help", name));
        }
        if (equal == std::string::npos && i + 1 == words.size()) {
            throw UsageError(fmt::format("{} needs a value\nSee sluice serve --help", name));
        }
        option->second(equal == std::string::npos ? words[++i] : words[i].substr(equal + 1));
    }
    return out;
}

bool is_loopback(const std::string& address) {
    in_addr v4{};
    in6_addr v6{};
    if (inet_pton(AF_INET, address.c_str(), &v4) == 1) {
        constexpr std::uint32_t kLoopback = 127;
        return ntohl(v4.s_addr) >> 24U == kLoopback;
    }
    return inet_pton(AF_INET6, address.c_str(), &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6) != 0;
}

void check_safe(const Settings& settings) {
    if (is_loopback(settings.listen)) {
        return;
    }
    if (settings.token_file.empty()) {
        throw UsageError(fmt::format(
            "--listen {}: others reach this address, so that clients need a token: give --token-file FILE (a new file "
            "gets a new token)",
            settings.listen));
    }
    if (!settings.insecure) {
        throw UsageError(fmt::format(
            "--listen {}: sluice speaks no TLS, and the token and all rows can be read on the way. Put a TLS proxy in "
            "front of a server on 127.0.0.1 (--host NAME), or give --insecure if the network is trusted",
            settings.listen));
    }
}

std::vector<std::string> own_hosts(const Settings& settings) {
    std::vector<std::string> out = settings.hosts;
    if (is_loopback(settings.listen)) {
        out.insert(out.end(), {"localhost", "127.0.0.1", "[::1]"});
    }
    out.push_back(settings.listen.find(':') == std::string::npos ? settings.listen : "[" + settings.listen + "]");
    return out;
}

}  // namespace sluice::server
