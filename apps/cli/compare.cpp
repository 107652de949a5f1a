// compare.cpp -- checks the words and starts sluice-compare, which is built by itself and stands beside the tool.
#include "compare.hpp"

#include <memory>
#include <utility>

#include "compare_arguments.hpp"
#include "other_program.hpp"

namespace sluice::cli {

Command add_compare(CommandLine& app, bool& errors_as_json, std::vector<std::string> words) {
    CommandLine command =
        app.add_subcommand("compare", "Compare Sluice with other methods, each row predicted before it is learnt");
    auto arguments = std::make_shared<CompareArguments>();
    add_compare_options(command, *arguments);
    return [arguments, &errors_as_json, words = std::move(words)]() -> int {
        errors_as_json = arguments->output.json;
        start_other_program("sluice-compare", words);
    };
}

}  // namespace sluice::cli
