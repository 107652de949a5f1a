// switching.hpp -- figure 3 of the paper. See README.md beside it.
#pragma once

#include "experiments/common/plan.hpp"
#include "experiments/common/result.hpp"

namespace sluice::experiments {

[[nodiscard]] std::size_t switching_rows(const Plan& plan);
[[nodiscard]] Result run_switching(const Plan& plan);

}  // namespace sluice::experiments
