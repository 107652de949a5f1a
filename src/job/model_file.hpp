// model_file.hpp -- a model file as the jobs use it: the model with its names, and what a stream job adds so that a later
// run can continue (the last rows, the counts, the position). A checkpoint is a model file; a fit is stored in one too.
//
// Sections: names, model, learner, tally, standing (the resume point) and, where asked for, interval from a stream job; names, model from the library's
// pack_model(); names, fit from a fit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "intervals.hpp"
#include "learner.hpp"
#include "row_reader.hpp"
#include "sluice/model_file.hpp"
#include "tally.hpp"

namespace sluice::job {

/// Where a run was when the file was written.
struct ResumePoint {
    io::Position input;                ///< of the next row
    std::uint64_t rows_read = 0;       ///< good and bad ones
    std::vector<std::string> columns;  ///< of the input, in its order
    std::uint64_t out_length = 0;      ///< bytes of the records written
    std::uint64_t rejects_length = 0;  ///< bytes of the rejected rows written

    friend bool operator==(const ResumePoint&, const ResumePoint&) = default;
};

/// Exactly one of `learner` and `fitted` has a value.
struct ModelFile {
    Roles roles;
    RowLayout layout;
    std::optional<Learner> learner;
    std::optional<Tally> tally;               ///< only where a stream job wrote the file
    std::optional<ResumePoint> resume_point;  ///< only where a stream job wrote the file
    std::optional<Intervals> intervals;       ///< only where it gave intervals
    std::optional<FittedModel> fitted;

    /// Names of the model's inputs, lags included.
    [[nodiscard]] std::vector<std::string> input_names() const { return stacked_names(roles, layout); }
};

/// A checkpoint. `intervals` is null where none are given. A fit is packed by the library's pack_fit().
[[nodiscard]] std::vector<std::byte> pack_checkpoint(const Roles& roles, const Learner& learner, const Tally& tally,
                                                     const ResumePoint& resume_point,
                                                     const Intervals* intervals = nullptr);

/// Reads every kind of model file. Throws StateError with the reason. Never needs more than a few times the memory of
/// `bytes`.
[[nodiscard]] ModelFile unpack(std::span<const std::byte> bytes);

/// The same from a file. StateError begins with the path. Throws io::DiskError too.
[[nodiscard]] ModelFile read_model_file(const std::string& path);

}  // namespace sluice::job
