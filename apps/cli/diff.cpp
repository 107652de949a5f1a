// diff.cpp -- `sluice diff`: what two models, or two rows of a log, select differently.
#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "exit_code.hpp"
#include "model_commands.hpp"
#include "selection.hpp"

namespace sluice::cli {

namespace {

struct DiffArguments {
    std::string first;
    std::string second;
    OutputFlags output;
};

int run_diff(const DiffArguments& arguments) {
    const job::Selection first = job::read_selection(arguments.first);
    const job::Selection second = job::read_selection(arguments.second);
    if (arguments.output.json) {
        fmt::print("{}", job::difference_json(first, second));
        return kDone;
    }
    const job::SelectionDifference difference = job::differ(first, second);
    fmt::print("- {}\n+ {}\n", first.from, second.from);
    for (const std::string& name : difference.only_first) {
        fmt::print("- {}\n", name);
    }
    for (const std::string& name : difference.only_second) {
        fmt::print("+ {}\n", name);
    }
    for (const auto& moved : difference.moved) {
        fmt::print("~ {}: component {} to {}\n", moved.name, moved.first, moved.second);
    }
    fmt::print("{} in both, {} only in the first, {} only in the second\n", difference.both.size(),
               difference.only_first.size(), difference.only_second.size());
    return kDone;
}

}  // namespace

Command add_diff(CommandLine& app, bool& errors_as_json) {
    CommandLine command = app.add_subcommand("diff", "Show what two models, or two rows of a log, select differently");
    auto arguments = std::make_shared<DiffArguments>();
    command.add_option("FIRST", arguments->first, "A model file, or LOG:ROW of a log in NDJSON").values("").required();
    command.add_option("SECOND", arguments->second, "The same, to compare with").values("").required();
    add_output_flags(command, arguments->output, "The difference, and errors, as JSON");
    command.footer(R"(Examples:
  sluice diff monday.sluice friday.sluice
  sluice diff log.ndjson:100 log.ndjson:400)");
    return [arguments, &errors_as_json] {
        errors_as_json = arguments->output.json;
        return run_diff(*arguments);
    };
}

}  // namespace sluice::cli
