// literal.hpp -- what the paper's literal choices would give. See README.md beside it.
#pragma once

#include "experiments/common/plan.hpp"
#include "experiments/common/result.hpp"

namespace sluice::experiments {

[[nodiscard]] std::size_t literal_rows(const Plan& plan);
[[nodiscard]] Result run_literal(const Plan& plan);

}  // namespace sluice::experiments
