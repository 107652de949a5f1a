// main.cpp -- the `sluice` tool: parses, calls, formats.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench.hpp"
#include "compare.hpp"
#include "demo.hpp"
#include "exit_code.hpp"
#include "guide.hpp"
#include "help_format.hpp"
#include "model_commands.hpp"
#include "reproduce.hpp"
#include "serve.hpp"
#include "simulate.hpp"
#include "sluice/adaptive_fields.hpp"
#include "sluice/version.hpp"
#include "stream.hpp"
#include "suggest.hpp"
#include "terminal.hpp"
#include "track.hpp"
#include "trouble.hpp"
#include "usage.hpp"

namespace {

using sluice::cli::Command;

// The command that the words so far lead to, with the names that could have come next.
std::pair<const CLI::App*, std::vector<std::string>> where_it_went_wrong(const CLI::App& app) {
    const CLI::App* at = &app;
    while (!at->get_subcommands().empty()) {
        at = at->get_subcommands().front();
    }
    std::vector<std::string> names;
    for (const CLI::App* sub : at->get_subcommands(std::function<bool(const CLI::App*)>{})) {
        names.push_back(sub->get_name());
    }
    for (const CLI::Option* option : at->get_options()) {
        for (const std::string& name : option->get_lnames()) {
            names.push_back("--" + name);
        }
    }
    return {at, names};
}

std::string full_name(const CLI::App* command) {
    return command->get_parent() == nullptr ? command->get_name()
                                            : full_name(command->get_parent()) + " " + command->get_name();
}

// "--keep-max" and "--keep_max" are an option that there was before; empty for any other word.
std::string sentence_if_removed(const std::string& word) {
    std::string name = word.starts_with("--") ? word.substr(2) : "";
    std::ranges::replace(name, '-', '_');
    const auto removed = sluice::removed_fields();
    const auto at = std::ranges::find(removed, name, &sluice::RemovedField::name);
    return at == removed.end() ? "" : std::string(at->sentence);
}

// CLI11 says what is wrong; we add the nearest name and where the help is.
[[noreturn]] void refuse(const CLI::App& app, const CLI::ParseError& error) {
    const auto [command, names] = where_it_went_wrong(app);
    std::string message = error.what();
    const auto unexpected = app.remaining(true);
    if (!unexpected.empty()) {
        std::string word = unexpected.front();
        word.resize(std::min(word.find('='), word.size()));
        if (const std::string gone = sentence_if_removed(word); !gone.empty()) {
            throw sluice::job::UsageError(gone + "\nSee " + full_name(command) + " --help");
        }
        const bool option = word.starts_with("-");
        message = (option            ? "unknown option "
                   : command == &app ? "unknown command "
                                     : "unexpected argument ") +
                  word + sluice::io::did_you_mean(word, names);
    }
    throw sluice::job::UsageError(message + "\nSee " + full_name(command) + " --help");
}

int run(int argc, char** argv, bool& errors_as_json) {
    CLI::App app("Keeps the few input streams that predict the outputs, row by row, while the relation drifts.",
                 "sluice");
    app.set_version_flag("--version", "sluice " SLUICE_VERSION);
    app.require_subcommand(1);
    sluice::cli::use_our_help(app);
    app.footer(
        "Data goes to standard output, messages to standard error; - is standard input or output.\n"
        "Exit codes: 0 done, 1 failure while running, 2 usage, 3 bad data, 4 damaged or foreign model file, "
        "130 interrupted.\n\n"
        "Examples:\n"
        "  sluice stream data.csv --targets y\n"
        "  sluice simulate switching | sluice stream - --targets y1 --paper");

    sluice::cli::CommandLine tool(app);
    const Command stream = sluice::cli::add_stream(tool, errors_as_json);
    const Command compare =
        sluice::cli::add_compare(tool, errors_as_json, std::vector<std::string>(argv + std::min(argc, 2), argv + argc));
    const Command fit = sluice::cli::add_fit(tool, errors_as_json);
    const Command predict = sluice::cli::add_predict(tool, errors_as_json);
    const Command inspect = sluice::cli::add_inspect(tool, errors_as_json);
    const Command diff = sluice::cli::add_diff(tool, errors_as_json);
    const Command picture = sluice::cli::add_picture(tool);
    const Command report = sluice::cli::add_report(tool, errors_as_json);
    const Command track = sluice::cli::add_track(tool, errors_as_json);
    const Command simulate = sluice::cli::add_simulate(tool);

    sluice::cli::DemoArguments demo_arguments{.colour = sluice::cli::stdout_shows_colour()};
    tool.add_subcommand("demo", "Stream the paper's switching simulation and show what is selected")
        .add_option("--seed", demo_arguments.seed, "Seed of the simulation")
        .shows_default();
    const Command demo = [&] { return sluice::cli::run_demo(demo_arguments); };

    const Command reproduce = sluice::cli::add_reproduce(tool, errors_as_json);
    const Command serve = sluice::cli::add_serve(tool);
    const Command bench = sluice::cli::add_bench(tool);
    const Command completion = sluice::cli::add_completion(tool);
    const Command man = sluice::cli::add_man(tool);

    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& asked) {  // --help, --version
        return app.exit(asked);
    } catch (const CLI::ParseError& error) {
        refuse(app, error);
    }
    const std::vector<std::pair<std::string_view, const Command*>> commands = {
        {"stream", &stream},   {"fit", &fit},
        {"predict", &predict}, {"inspect", &inspect},
        {"diff", &diff},       {"simulate", &simulate},
        {"demo", &demo},       {"reproduce", &reproduce},
        {"bench", &bench},     {"completion", &completion},
        {"man", &man},         {"track", &track},
        {"picture", &picture}, {"report", &report},
        {"serve", &serve},     {"compare", &compare}};
    const std::string name = app.get_subcommands().front()->get_name();
    const auto chosen = std::ranges::find(commands, name, [](const auto& c) { return c.first; });
    return (*chosen->second)();
}

}  // namespace

int main(int argc, char** argv) {
    bool errors_as_json = std::find(argv, argv + argc, std::string_view("--json")) != argv + argc;
    try {
        return run(argc, argv, errors_as_json);
    } catch (...) {
        return sluice::cli::tell_trouble(std::current_exception(), errors_as_json);
    }
}
