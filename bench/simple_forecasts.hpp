// simple_forecasts.hpp -- what a user would predict without any model.
#pragma once

#include <algorithm>
#include <cstddef>

#include "tasks.hpp"

namespace sluice::bench {

/// Error over variance one step ahead, mean over the outputs. NaN where an output never varies.
struct SimpleErrors {
    double last_value = 0.0;  ///< the last known value of the output
    double mean = 0.0;        ///< the mean of all known values of the output
    [[nodiscard]] double better() const { return std::min(last_value, mean); }
};

/// Both predict 0 before a value is known, and are not scored in the first `warmup` rows.
[[nodiscard]] SimpleErrors measure_simple(const TaskRows& rows, std::size_t warmup);

}  // namespace sluice::bench
