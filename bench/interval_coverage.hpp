// interval_coverage.hpp -- how many outputs lie within their intervals, on real streams and on simulated ones that break.
//
// Question   Does the share of outputs within the intervals follow what was asked, over each stream and in each window?
// Ours       IntervalTracker around the predictions of AdaptiveModel, nothing given
// Peers      a Gaussian interval from the last errors; conformal methods as published                   interval_methods.hpp
// Reports    share of the outputs inside, over all rows after the warm-up and in the worst window of 500 rows; mean width over
//            that of the Gaussian interval, on the same rows
// Goals      within 0.015 on every real stream, within 0.03 in every window of 500 rows of the simulated ones
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "interval_methods.hpp"

namespace sluice::bench {

constexpr std::size_t kIntervalWindow = 500;
constexpr double kCoverageGoal = 0.015;
constexpr double kWindowGoal = 0.03;

/// One output of a stream, each row predicted by AdaptiveModel before it learns the row.
struct PredictedStream {
    std::string name;
    std::size_t output = 0;
    std::size_t warmup = 0;
    std::vector<double> predicted = {};
    std::vector<double> observed = {};  ///< NaN where missing
};

/// Every task of a folder whose file is there.
[[nodiscard]] std::vector<PredictedStream> predict_tasks(const std::filesystem::path& folder);

/// FactorStream with two outputs: breaks, and drift between them.
struct BreakingFactors {
    std::size_t break_every = 500;
    double drift = 0.0;
};
[[nodiscard]] const std::vector<BreakingFactors>& breaking_factors();
[[nodiscard]] std::vector<PredictedStream> predict_factors(const BreakingFactors& kind, std::size_t rows,
                                                           std::uint64_t seed);

struct IntervalFigures {
    std::size_t rows = 0;  ///< with an interval and an output, after the warm-up
    double coverage = 0.0;
    double width = 0.0;                                 ///< mean
    std::optional<double> worst_window = std::nullopt;  ///< coverage in the window that is farthest from what was asked
    bool finite = true;                                 ///< every interval
};
/// Each output is added after `late` further predictions were made.
[[nodiscard]] IntervalFigures measure_intervals(const PredictedStream& stream, double coverage, IntervalMethod& method,
                                                std::size_t late = 0);

/// A method over many streams.
struct IntervalSummary {
    std::string method;
    std::size_t streams = 0;
    double off = 0.0;                 ///< coverage from what was asked, of the worst stream
    std::size_t beyond_coverage = 0;  ///< streams farther than kCoverageGoal
    double window_off = 0.0;          ///< of the worst window of all streams
    std::size_t beyond_window = 0;    ///< streams with a window farther than kWindowGoal
    double width = 0.0;               ///< over that of the Gaussian interval, geometric mean of the streams
    double most_width = 0.0;          ///< of the stream with the largest
    bool finite = true;
};
[[nodiscard]] IntervalSummary summarize(const NamedMethod& method, std::span<const PredictedStream> streams,
                                        double coverage, std::size_t late = 0);

/// A line for each stream, with a heading.
[[nodiscard]] std::string intervals_text(std::span<const PredictedStream> streams, double coverage,
                                         std::size_t late = 0);
[[nodiscard]] std::string summaries_text(std::span<const IntervalSummary> summaries, double coverage,
                                         const std::string& of);

}  // namespace sluice::bench
