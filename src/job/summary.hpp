// summary.hpp -- what a run saw, as JSON.
#pragma once

#include <string>
#include <vector>

#include "learner.hpp"
#include "roles.hpp"
#include "tally.hpp"

namespace sluice::job {

/// {"rows":..., "skipped":..., "targets":{"y":{"r2":..., "error_over_variance":..., "scored":...}}, ...} with a newline.
/// `rows_per_second` is that of this run, null where it is not known.
[[nodiscard]] std::string summary_json(const Tally& tally, const Learner& learner, const Roles& roles,
                                       const std::vector<std::string>& input_names, double rows_per_second);

/// The "targets" object alone.
[[nodiscard]] std::string targets_json(const std::vector<Score>& scores, const std::vector<std::string>& targets);

}  // namespace sluice::job
