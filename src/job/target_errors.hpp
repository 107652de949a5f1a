// target_errors.hpp -- each target's error in a run, beside that of the mean, of the last value and of the best fixed
// setting: the numbers of every summary.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "best_fixed.hpp"
#include "json_text.hpp"
#include "learner.hpp"
#include "sluice/score.hpp"
#include "tally.hpp"

namespace sluice::job {

/// Of one way to predict one target. NaN where there is none: before the first observation, and relative to the variance
/// before two observations that differ.
struct ErrorFigures {
    double rmse = std::numeric_limits<double>::quiet_NaN();                 ///< in the target's unit
    double error_over_variance = std::numeric_limits<double>::quiet_NaN();  ///< of the observed values
    [[nodiscard]] double r2() const { return 1.0 - error_over_variance; }
};

struct TargetErrors {
    std::string target;
    ErrorFigures model;
    std::uint64_t scored = 0;  ///< rows that `model` is over
    ErrorFigures believed;     ///< of the model, without labels that were suspect
    std::uint64_t believed_rows = 0;

    /// All over the same rows: those for which the mean and the last value are known.
    struct Compared {
        std::uint64_t rows = 0;   ///< `scored`, or fewer where a run began from a model that had learnt before
        std::uint64_t since = 1;  ///< the first row of the run from which on values are known, from 1
        ErrorFigures model;
        ErrorFigures mean;        ///< of the values observed before
        ErrorFigures last_value;  ///< the last one observed before
    } compared;

    struct Fixed {
        std::string setting;
        ErrorFigures figures;
    };
    std::optional<Fixed> best_fixed = {};
};

/// `best` has one entry per target.
[[nodiscard]] std::vector<TargetErrors> target_errors(const Tally& tally, const std::vector<std::string>& targets,
                                                      const std::vector<std::optional<BestFixed>>& best);
[[nodiscard]] std::vector<TargetErrors> target_errors(const Tally& tally, const std::vector<std::string>& targets,
                                                      const Learner& learner);

/// {"y": {"r2": ..., "error_over_variance": ..., "rmse": ..., "scored": ..., "compared": {"rows": ..., "since_row": ...,
/// "model": {"r2": ..., "error_over_variance": ..., "rmse": ...}, "mean": {...}, "last_value": {...}}, "best_fixed": null
/// or {"setting": ..., "r2": ..., ...}}, ...}. A figure that there is not is null. Where labels were
/// suspect, "without_suspect_labels": {"rows": ..., "r2": ..., ...} follows "scored".
void append_target_errors(io::JsonWriter& json, const std::vector<TargetErrors>& errors);

}  // namespace sluice::job
