// best_fixed.hpp -- the best single setting in hindsight, of those that the self-tuning model keeps errors of.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sluice/adaptive.hpp"

namespace sluice::job {

struct BestFixed {
    std::string setting;  ///< such as "forgetting 0.98, shrinkage 10, 6 names, intercept fixed"
    double rmse = 0.0;    ///< root mean squared one-step error, in the output's unit, over the rows that were scored
};

/// One entry per output. It has no value where nothing is tuned, or nothing was scored yet.
[[nodiscard]] std::vector<std::optional<BestFixed>> best_fixed(const AdaptiveModel& model);

}  // namespace sluice::job
