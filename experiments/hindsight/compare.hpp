// compare.hpp -- a model that chooses everything by itself, beside what is best on a stream in hindsight: one fixed setting
// of a grid, and one of the model's own readings.
//
// Which one is best is known in hindsight only; no one of them is best on all streams. Errors are one step ahead over the
// variance of the output, mean over the outputs, after the first kUnscored rows.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "experiments/common/plan.hpp"
#include "experiments/hindsight/contests.hpp"
#include "sluice/adaptive.hpp"
#include "sluice/options.hpp"
#include "sluice/score.hpp"

namespace sluice::experiments {

inline constexpr std::size_t kUnscored = 35;  ///< rows: by then the paper's static stream is learnt

/// Forgetting x (components x keep, 20 names in all) x shrinkage.
[[nodiscard]] std::vector<StreamOptions> fixed_settings();
[[nodiscard]] std::string text_of(const StreamOptions& setting);  ///< "0.98, 5 x 4, r 10"

/// Sum of squared one-step errors of each reading since the first row, one list for each output.
using ReadingErrors = std::vector<std::vector<double>>;

/// Empty where nothing is tuned.
[[nodiscard]] ReadingErrors reading_errors(const AdaptiveModel& model);

/// For each output the smallest sum between `before` and `after`, over the spread of its score; the mean over the outputs.
/// Nothing where there are no readings.
[[nodiscard]] std::optional<double> best_reading(const ReadingErrors& before, const ReadingErrors& after,
                                                 std::span<const Score> scores);

struct OneStepError {
    double model = 0.0;
    std::optional<double> best_reading = std::nullopt;
};
[[nodiscard]] OneStepError one_step_error(const AdaptiveOptions& options, const Recording& recording);

/// Means over the seeds.
struct Compared {
    std::string name;
    double tuned = 0.0;                                 ///< everything on auto, at most 20 names
    std::vector<double> fixed;                          ///< of each fixed setting
    std::size_t best = 0;                               ///< number of the best fixed setting
    std::optional<double> best_reading = std::nullopt;  ///< of each seed's best

    [[nodiscard]] double best_fixed() const { return fixed.at(best); }
    /// The best reading where it is known; else the best fixed setting.
    [[nodiscard]] double best_error() const { return best_reading.value_or(best_fixed()); }
    [[nodiscard]] double over_best() const { return tuned / best_error(); }
};

/// Runs, seeds and threads are those of the plan.
[[nodiscard]] std::vector<Compared> compare(const Plan& plan, const std::vector<Contest>& all);
/// Rows that compare() learns.
[[nodiscard]] std::size_t compared_rows(const Plan& plan, const std::vector<Contest>& all);

}  // namespace sluice::experiments
