// hindsight.hpp -- how far is a model that chooses everything by itself from the best that one could have chosen?
#pragma once

#include <cstddef>
#include <vector>

#include "experiments/common/plan.hpp"
#include "experiments/common/result.hpp"
#include "experiments/hindsight/compare.hpp"

namespace sluice::experiments {

[[nodiscard]] Result hindsight_result(const Plan& plan, const std::vector<Compared>& all);

[[nodiscard]] std::size_t hindsight_rows(const Plan& plan);
[[nodiscard]] Result run_hindsight(const Plan& plan);

}  // namespace sluice::experiments
