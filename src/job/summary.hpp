// summary.hpp -- the counts and errors of a run as JSON.
#pragma once

#include <string>
#include <vector>

#include "event_log.hpp"
#include "intervals.hpp"
#include "late_labels.hpp"
#include "learner.hpp"
#include "sluice/model_file.hpp"
#include "tally.hpp"

namespace sluice::job {

/// {"rows": ..., "skipped": ..., "events": {"drift": 2, ...}, "targets": {...}, "selected": [{"name": ..., "contribution": ..., "gain": ...}, ...], ...}
/// and a newline; target_errors.hpp has the "targets". What is selected comes in the order of its importance; where nothing
/// is tuned that is not known, and contribution and gain are null. `rows_per_second` is that of this run, null where it is
/// not known. `late_labels`, where there are any: "labels": {"learned": ..., "late": ..., "repeated": ..., "waiting": ...,
/// "window": ...}. Where intervals are given, "intervals" as in intervals.hpp.
[[nodiscard]] std::string summary_json(const Tally& tally, const EventLog& events, const Learner& learner,
                                       const Roles& roles, const std::vector<std::string>& input_names,
                                       double rows_per_second, const LateLabels* late_labels = nullptr,
                                       const Intervals* intervals = nullptr);

}  // namespace sluice::job
