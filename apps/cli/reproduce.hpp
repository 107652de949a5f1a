// reproduce.hpp -- `sluice reproduce`: the paper's experiments as a report, figures, CSV and JSON.
#pragma once

#include "arguments.hpp"

namespace sluice::cli {

[[nodiscard]] Command add_reproduce(CommandLine& app, bool& errors_as_json);

}  // namespace sluice::cli
