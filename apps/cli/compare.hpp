// compare.hpp -- `sluice compare`: Sluice beside other methods on one stream.
#pragma once

#include <string>
#include <vector>

#include "command_line.hpp"

namespace sluice::cli {

/// `words`: what follows the command's name, for the program that compares.
[[nodiscard]] Command add_compare(CommandLine& app, bool& errors_as_json, std::vector<std::string> words);

}  // namespace sluice::cli
