// main.cpp -- sluice-serve: the models of a registry behind HTTP.
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api.hpp"
#include "guard.hpp"
#include "http_server.hpp"
#include "page.hpp"
#include "player.hpp"
#include "settings.hpp"
#include "sluice/error.hpp"
#include "token.hpp"
#include "usage.hpp"
#include "watched_stream.hpp"

namespace {

using sluice::server::Settings;

std::chrono::milliseconds milliseconds(double seconds) {
    return std::chrono::milliseconds(static_cast<std::int64_t>(1000.0 * seconds));
}

// Each connection needs a descriptor.
void allow_many_files() {
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &limit);
    }
}

void say(const Settings& settings, const std::string& text) {
    if (!settings.quiet) {
        fmt::print(stderr, "sluice: {}\n", text);
    }
}

int serve(const Settings& settings) {
    sluice::server::check_safe(settings);
    allow_many_files();
    std::string token;
    if (!settings.token_file.empty()) {
        bool made = false;
        token = sluice::serve::token_of_file(settings.token_file, made);
        say(settings,
            made ? "a new token is in " + settings.token_file : "the token is that of " + settings.token_file);
    }
    sluice::serve::Registry::Settings kept;
    kept.state = settings.state;
    kept.most_models = settings.max_models;
    kept.limits.checkpoint_age = milliseconds(settings.checkpoint_time);
    kept.limits.waiting_bytes = std::max(kept.limits.waiting_bytes, settings.max_body << 21U);

    // In this order: what answers ends before what listens.
    sluice::serve::ServerCounts counts;
    const auto events = std::make_shared<sluice::serve::EventCounts>();
    sluice::server::HttpSettings http;
    http.address = settings.listen;
    http.port = settings.port;
    http.most_connections = settings.max_connections;
    http.head_time = milliseconds(settings.head_time);
    http.body_time = milliseconds(settings.body_time);
    http.write_time = milliseconds(settings.write_time);
    if (settings.log) {
        http.log = [](const std::string& line) { fmt::print(stderr, "{}\n", line); };
    }
    sluice::server::HttpServer server(std::move(http), counts, events);
    sluice::serve::Registry registry(std::move(kept), sluice::io::real_disk(), events);
    if (!settings.watch.empty()) {
        if (settings.watch == "-") {  // the program that writes the records has started this one: both end together
            (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
        }
        registry.add(std::make_shared<sluice::serve::WatchedStream>(
            sluice::serve::WatchedStream::Settings{.input = settings.watch,
                                                   .title = settings.watch_title,
                                                   .inputs = settings.watch_inputs,
                                                   .warmup = settings.watch_warmup},
            events));
    }
    sluice::serve::Api api(registry, counts, sluice::web::page());
    sluice::serve::Guard guard({.hosts = sluice::server::own_hosts(settings),
                                .port = server.port(),
                                .token = std::move(token),
                                .requests_per_second = settings.max_rate,
                                .longest_body = settings.max_body << 20U});
    std::optional<sluice::server::Player> player;
    if (!settings.play.empty()) {
        player.emplace(registry, settings.rate);
    }
    const bool v6 = settings.listen.find(':') != std::string::npos;
    fmt::print("http://{}{}{}:{}/\n", v6 ? "[" : "", settings.listen, v6 ? "]" : "", server.port());
    std::fflush(stdout);
    if (!sluice::server::is_loopback(settings.listen)) {
        say(settings,
            "others reach this address, and nothing is encrypted: the token and all rows can be read on the way");
    }
    if (settings.state.empty() && settings.watch.empty()) {
        say(settings, "without --state DIR the models are lost when the server ends");
    }
    server.run(guard, api);
    say(settings, "ended");
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return serve(sluice::server::parse_settings({argv + 1, argv + argc}));
    } catch (const sluice::job::UsageError& error) {
        fmt::print(stderr, "sluice: {}\n", error.what());
        return 2;
    } catch (const sluice::StateError& error) {
        fmt::print(stderr, "sluice: {}\n", error.what());
        return 4;
    } catch (const std::exception& error) {
        fmt::print(stderr, "sluice: {}\n", error.what());
        return 1;
    }
}
