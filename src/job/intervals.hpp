// intervals.hpp -- intervals around the predictions of a stream, and how many outputs they have contained.
//
// With horizon H the forecast made at row t has its interval from the errors known at row t; it is scored at row t + H.
// Labels that come even later are scored by score(), with the interval that was given.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "json_text.hpp"
#include "learner.hpp"
#include "sluice/interval.hpp"

namespace sluice::job {

/// Ends of intervals, an entry per output, NaN where there is none.
struct IntervalEnds {
    std::span<const double> low;
    std::span<const double> high;
};

class Intervals {
  public:
    Intervals(std::size_t outputs, std::size_t horizon, const IntervalOptions& options);

    /// A row that was learnt. Where `scored` is false it is learnt, but not counted.
    void add(const Learner::Step& step, std::span<const double> observed, bool scored);
    /// One output whose prediction was given earlier, and whose interval is kept by the caller. NaN: none was given.
    void score(std::size_t output, double predicted, double observed, double low, double high, std::size_t rows_late,
               bool scored);

    /// Of the last row: around Learner::Step::predicted, and around its forecast. The latter is empty without a horizon.
    [[nodiscard]] IntervalEnds predicted() const noexcept { return {.low = low_, .high = high_}; }
    [[nodiscard]] IntervalEnds forecast() const noexcept { return {.low = forecast_low_, .high = forecast_high_}; }

    [[nodiscard]] double coverage_asked() const noexcept { return tracker_.coverage(); }

    /// Of one output, over the rows that were scored.
    struct Counts {
        std::uint64_t rows = 0;  ///< with an interval and an output
        std::uint64_t inside = 0;
        double mean_width = 0.0;

        [[nodiscard]] double coverage() const;  ///< NaN before the first row
    };
    [[nodiscard]] const std::vector<Counts>& counts() const noexcept { return counts_; }

    void save(core::StateWriter& out) const;
    /// What save() wrote, for as many outputs and the same horizon. Throws StateError.
    [[nodiscard]] static Intervals load(core::StateReader& in, std::size_t outputs, std::size_t horizon);

  private:
    void give(std::span<const double> predicted, std::vector<double>& low, std::vector<double>& high) const;

    IntervalTracker tracker_;
    std::size_t horizon_;
    std::uint64_t rows_ = 0;
    std::vector<Counts> counts_;
    std::vector<double> low_;
    std::vector<double> high_;
    std::vector<double> forecast_low_;
    std::vector<double> forecast_high_;
    std::vector<double> pending_low_;  // of the last forecasts, a ring by row number: horizon x outputs
    std::vector<double> pending_high_;
};

/// {"asked": 0.9, "targets": {"y": {"coverage": ..., "mean_width": ..., "rows": ...}, ...}}, null where there is no interval.
void append_intervals(io::JsonWriter& json, const Intervals& intervals, const std::vector<std::string>& targets);

}  // namespace sluice::job
