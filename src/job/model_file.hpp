// model_file.hpp -- a model file as the jobs use it: the model with its names, and what a stream job adds so that a later
// run can continue (the last rows, the counts, the position). A checkpoint is a model file; a fit is stored in one too.
//
// Sections: names, model, learner, tally, events, columns, standing and feed (the resume point), labels where they come late, and interval
// where asked for, from a stream job; names, model from the library's
// pack_model(); names, fit from a fit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "column_watch.hpp"
#include "event_log.hpp"
#include "intervals.hpp"
#include "late_labels.hpp"
#include "learner.hpp"
#include "resume_point.hpp"
#include "sluice/model_file.hpp"
#include "tally.hpp"

namespace sluice::job {

/// Exactly one of `learner` and `fitted` has a value.
struct ModelFile {
    Roles roles;
    RowLayout layout;
    std::optional<Learner> learner;
    std::optional<Tally> tally;               ///< only where a stream job wrote the file
    EventLog events;                          ///< likewise; nothing in files from before there were events
    ColumnWatch columns;                      ///< likewise
    std::optional<ResumePoint> resume_point;  ///< only where a stream job wrote the file
    std::optional<LateLabels> late_labels;    ///< only where a stream job with late labels wrote the file
    std::optional<Intervals> intervals;       ///< only where it gave intervals
    std::optional<FittedModel> fitted;

    /// Names of the model's inputs, lags included.
    [[nodiscard]] std::vector<std::string> input_names() const { return stacked_names(roles, layout); }
};

/// A checkpoint. `intervals` is null where none are given. `more` are sections that unpack() leaves to whoever knows them,
/// with names of at most 8 characters. A fit is packed by the library's pack_fit().
[[nodiscard]] std::vector<std::byte> pack_checkpoint(
    const Roles& roles, const Learner& learner, const Tally& tally, const EventLog& events, const ColumnWatch& columns,
    const ResumePoint& resume_point, const LateLabels* late_labels = nullptr, const Intervals* intervals = nullptr,
    const std::vector<std::pair<std::string, std::vector<std::byte>>>& more = {});

/// Reads every kind of model file. Throws StateError with the reason. Never needs more than a few times the memory of
/// `bytes`.
[[nodiscard]] ModelFile unpack(std::span<const std::byte> bytes);

/// The same from a file. StateError begins with the path. Throws io::DiskError too.
[[nodiscard]] ModelFile read_model_file(const std::string& path);

}  // namespace sluice::job
