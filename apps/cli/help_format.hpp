// help_format.hpp -- how the help lists options: the most used first (CommandLine::most_used), each under one spelling.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace sluice::cli {

/// The heading of the options that CommandLine::most_used() names.
constexpr const char* kMostUsed = "Most used";

/// The names of an option with their dashes, short ones first. --scale_inputs is left out beside --scale-inputs: it is
/// accepted all the same.
[[nodiscard]] std::vector<std::string> shown_names(const CLI::Option& option);

/// Sets how `app` and the commands that are added to it afterwards print their help.
void use_our_help(CLI::App& app);

}  // namespace sluice::cli
