// single.hpp -- figure 2 of the paper. See README.md beside it.
#pragma once

#include "experiments/common/plan.hpp"
#include "experiments/common/result.hpp"

namespace sluice::experiments {

[[nodiscard]] std::size_t single_rows(const Plan& plan);
[[nodiscard]] Result run_single(const Plan& plan);

}  // namespace sluice::experiments
