// best_fixed.hpp -- the best single setting in hindsight, of those that the self-tuning model mixes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sluice/adaptive.hpp"
#include "tally.hpp"

namespace sluice::job {

struct BestFixed {
    std::string setting;  ///< such as "forgetting 0.98, 6 names, shrinkage 10, intercept fixed"
    double rmse = 0.0;    ///< root mean squared one-step error, in the output's unit, over the rows that were scored
};

/// One entry per output. It has no value where nothing is tuned or nothing was scored yet, and none with a horizon: the
/// readings are measured one row after the last known output, the forecasts more rows after it.
[[nodiscard]] std::vector<std::optional<BestFixed>> best_fixed(const Tally& tally, const AdaptiveModel& model);

}  // namespace sluice::job
