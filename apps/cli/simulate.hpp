// simulate.hpp -- `sluice simulate`: streams whose truth is known, as CSV.
#pragma once

#include "arguments.hpp"

namespace sluice::cli {

[[nodiscard]] Command add_simulate(CommandLine& app);

}  // namespace sluice::cli
