// best_reading.hpp -- the error that the best single reading of a tuned model would have had, known in hindsight only.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "sluice/adaptive.hpp"
#include "sluice/score.hpp"

namespace sluice::bench {

/// Sum of squared one-step errors of each reading since the first row, one list for each output.
using ReadingErrors = std::vector<std::vector<double>>;

/// Empty where nothing is tuned.
[[nodiscard]] ReadingErrors reading_errors(const AdaptiveModel& model);

/// For each output the smallest sum between `before` and `after`, over the spread of its score; the mean over the outputs.
/// Nothing where there are no readings.
[[nodiscard]] std::optional<double> best_reading(const ReadingErrors& before, const ReadingErrors& after,
                                                 std::span<const Score> scores);

}  // namespace sluice::bench
