// simulate.hpp -- `sluice simulate`: streams whose truth is known, as CSV.
#pragma once

#include <CLI/CLI.hpp>

#include "arguments.hpp"

namespace sluice::cli {

[[nodiscard]] Command add_simulate(CLI::App& app);

}  // namespace sluice::cli
