// summary.hpp -- the counts and errors of a run as JSON.
#pragma once

#include <string>
#include <vector>

#include "json_text.hpp"
#include "learner.hpp"
#include "sluice/model_file.hpp"
#include "tally.hpp"

namespace sluice::job {

/// {"rows": ..., "skipped": ..., "targets": {"y": {"r2": ..., "error_over_variance": ..., "scored": ...}}, ...} and a
/// newline. `rows_per_second` is that of this run, null where it is not known.
[[nodiscard]] std::string summary_json(const Tally& tally, const Learner& learner, const Roles& roles,
                                       const std::vector<std::string>& input_names, double rows_per_second);

/// The "targets" object alone.
void append_scores(io::JsonWriter& json, const std::vector<Score>& scores, const std::vector<std::string>& targets);

}  // namespace sluice::job
