// main.cpp -- the `sluice` tool: parses, calls, formats.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "bench.hpp"
#include "demo.hpp"
#include "sluice/version.hpp"
#include "terminal.hpp"

namespace {

constexpr int kFailed = 1;
constexpr int kUsage = 2;

int run(int argc, char** argv) {
    CLI::App app("Keeps the few input streams that predict the outputs, row by row, while the relation drifts.",
                 "sluice");
    app.set_version_flag("--version", "sluice " SLUICE_VERSION);
    app.require_subcommand(1);

    sluice::cli::DemoArguments demo{.colour = sluice::cli::stdout_shows_colour()};
    CLI::App* demo_command =
        app.add_subcommand("demo", "Stream the paper's switching simulation and show what is selected");
    demo_command->add_option("--seed", demo.seed, "Seed of the simulation")->capture_default_str();

    const auto run_bench = sluice::cli::add_bench(app);

    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& asked) {  // --help, --version
        return app.exit(asked);
    } catch (const CLI::ParseError& error) {
        app.exit(error);
        return kUsage;
    }
    return demo_command->parsed() ? sluice::cli::run_demo(demo) : run_bench();
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run(argc, argv);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "sluice: %s\n", error.what());
        return kFailed;
    }
}
