// settings.hpp -- what sluice-serve is started with. `sluice serve` has the help; it passes its options on as they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace sluice::server {

struct Settings {
    std::string listen = "127.0.0.1";
    std::uint16_t port = 8765;
    std::string state;
    std::string token_file;
    bool insecure = false;
    std::vector<std::string> hosts;
    std::string play;         ///< "switching", or empty
    double rate = 20;         ///< rows per second of what is played
    std::string watch;        ///< records of a stream that another program runs: a file or -
    std::string watch_title;  ///< what its rows come from
    std::size_t watch_inputs = 0;
    std::uint64_t watch_warmup = 0;
    std::size_t max_body = 16;  ///< megabytes
    std::size_t max_connections = 1000;
    std::size_t max_models = 64;
    double max_rate = 20'000;  ///< requests per second of one address
    double body_time = 60;     ///< seconds; the others too
    double head_time = 10;
    double write_time = 10;
    double checkpoint_time = 30;
    bool log = false;
    bool quiet = false;
};

/// Words as "--port 8765" or "--port=8765". Throws UsageError.
[[nodiscard]] Settings parse_settings(const std::vector<std::string>& words);

/// Whether only this machine reaches the address.
[[nodiscard]] bool is_loopback(const std::string& address);
/// Throws UsageError for an address that others reach, without a token and the consent to use no TLS.
void check_safe(const Settings& settings);
/// The names by which clients may call the server.
[[nodiscard]] std::vector<std::string> own_hosts(const Settings& settings);

}  // namespace sluice::server
