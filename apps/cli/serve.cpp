#include "serve.hpp"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "other_program.hpp"

namespace sluice::cli {

namespace {

// What was given, for the other program, which checks it and has the defaults.
struct ServeArguments {
    std::optional<std::size_t> port;
    std::string listen;
    std::string state;
    std::string token_file;
    std::vector<std::string> hosts;
    std::string play;
    std::optional<double> rate;
    std::string watch;
    std::optional<std::size_t> max_body;
    std::optional<std::size_t> max_connections;
    std::optional<std::size_t> max_models;
    std::optional<double> max_rate;
    std::optional<double> head_time;
    std::optional<double> body_time;
    std::optional<double> write_time;
    std::optional<double> checkpoint_time;
    bool insecure = false;
    bool log = false;
    bool quiet = false;

    [[nodiscard]] std::vector<std::string> words() const {
        std::vector<std::string> out;
        const auto text = [&](const char* name, const std::string& value) {
            if (!value.empty()) {
                out.push_back(fmt::format("{}={}", name, value));
            }
        };
        const auto number = [&](const char* name, const auto& value) {
            if (value) {
                out.push_back(fmt::format("{}={}", name, *value));
            }
        };
        const auto flag = [&](const char* name, bool value) {
            if (value) {
                out.emplace_back(name);
            }
        };
        number("--port", port);
        text("--listen", listen);
        text("--state", state);
        text("--token-file", token_file);
        for (const std::string& host : hosts) {
            text("--host", host);
        }
        text("--play", play);
        number("--rate", rate);
        text("--watch", watch);
        number("--max-body", max_body);
        number("--max-connections", max_connections);
        number("--max-models", max_models);
        number("--max-rate", max_rate);
        number("--head-time", head_time);
        number("--body-time", body_time);
        number("--write-time", write_time);
        number("--checkpoint-time", checkpoint_time);
        flag("--insecure", insecure);
        flag("--log", log);
        flag("--quiet", quiet);
        return out;
    }
};

}  // namespace

Command add_serve(CommandLine& app) {
    CommandLine command = app.add_subcommand("serve", "Hold named models that learn from rows sent over HTTP");
    auto arguments = std::make_shared<ServeArguments>();
    command.add_option("--port", arguments->port, "Port; 0 is any that is free [8765]").values("N");
    command
        .add_option("--state", arguments->state,
                    "Folder of the models: rows are on the disk before they are acknowledged, and a server that was "
                    "killed continues from there")
        .values("DIR");
    command
        .add_option("--play", arguments->play,
                    "Play a built-in stream into a model of its name: switching, whose important inputs change")
        .values("STREAM");
    command.add_option("--rate", arguments->rate, "Rows per second of what is played [20]").values("N");
    command
        .add_option("--watch", arguments->watch,
                    "Show a stream that another program runs, from its records (`stream --weights --out FILE`), while "
                    "the file grows; - is standard input")
        .values("FILE|-");
    command.add_flag("--log", arguments->log, "A line on standard error for each answer");
    command.add_flag("-q,--quiet", arguments->quiet, "No messages");

    const char* access = "Who may ask";
    command.add_option("--listen", arguments->listen, "Address [127.0.0.1]. Any that others reach needs a token")
        .values("ADDRESS")
        .group(access);
    command
        .add_option("--token-file", arguments->token_file,
                    "File with the token that clients send (Authorization: Bearer TOKEN), readable by its owner alone. "
                    "Where there is no file, a new token is written to it")
        .values("FILE")
        .group(access);
    command
        .add_option("--host", arguments->hosts,
                    "A further name of this server, such as that of a proxy in front of it. May be given several times")
        .values("NAME")
        .group(access);
    command.add_flag("--insecure", arguments->insecure, "Serve others without TLS").group(access);

    const char* limits = "Limits";
    command.add_option("--max-body", arguments->max_body, "Megabytes of one request [16]").values("N").group(limits);
    command.add_option("--max-connections", arguments->max_connections, "Connections at once [1000]")
        .values("N")
        .group(limits);
    command.add_option("--max-models", arguments->max_models, "Models [64]").values("N").group(limits);
    command.add_option("--max-rate", arguments->max_rate, "Requests per second of one address [20000]")
        .values("N")
        .group(limits);
    command.add_option("--head-time", arguments->head_time, "Seconds for the head of a request [10]")
        .values("S")
        .group(limits);
    command.add_option("--body-time", arguments->body_time, "Seconds for its body [60]").values("S").group(limits);
    command.add_option("--write-time", arguments->write_time, "Seconds in which a client takes what it is sent [10]")
        .values("S")
        .group(limits);
    command.add_option("--checkpoint-time", arguments->checkpoint_time, "Seconds between two checkpoints [30]")
        .values("S")
        .group(limits);
    command.footer(
        R"(The address is printed on standard output. SIGTERM or Ctrl-C ends the server after a last checkpoint.
docs/serve.md has the API; GET /v1/openapi.json describes it for programs.

Examples:
  sluice serve --play switching
  sluice serve --state /var/lib/sluice
  sluice serve --listen 10.0.0.5 --token-file token --insecure --state models

The server is a program of its own, built by: cmake --build build/release --target sluice-serve)");
    return [arguments]() -> int { start_other_program("sluice-serve", arguments->words()); };
}

}  // namespace sluice::cli
