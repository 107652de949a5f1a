// reproduce.hpp -- `sluice reproduce`: the paper's experiments as a report, figures, CSV and JSON.
#pragma once

#include <CLI/CLI.hpp>

#include "arguments.hpp"

namespace sluice::cli {

[[nodiscard]] Command add_reproduce(CLI::App& app, bool& errors_as_json);

}  // namespace sluice::cli
