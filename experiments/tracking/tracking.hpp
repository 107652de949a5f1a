// tracking.hpp -- figure 6: two indices at once, +15 % a year, ten of 323 stocks, on-line.
#pragma once

#include <cstddef>

#include "experiments/common/plan.hpp"
#include "experiments/common/result.hpp"

namespace sluice::experiments {

[[nodiscard]] std::size_t tracking_rows(const Plan& plan);
[[nodiscard]] Result run_tracking(const Plan& plan);

}  // namespace sluice::experiments
