// adaptive.hpp -- forgetting chosen while the stream runs: the paper's open question. See README.md beside it.
#pragma once

#include "experiments/common/plan.hpp"
#include "experiments/common/result.hpp"

namespace sluice::experiments {

[[nodiscard]] std::size_t adaptive_rows(const Plan& plan);
[[nodiscard]] Result run_adaptive(const Plan& plan);

}  // namespace sluice::experiments
