// forgetting.hpp -- figure 4 of the paper. See README.md beside it.
#pragma once

#include "experiments/common/plan.hpp"
#include "experiments/common/result.hpp"

namespace sluice::experiments {

[[nodiscard]] std::size_t forgetting_rows(const Plan& plan);
[[nodiscard]] Result run_forgetting(const Plan& plan);

}  // namespace sluice::experiments
