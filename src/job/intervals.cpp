#include "intervals.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "state.hpp"

namespace sluice::job {

namespace {

constexpr double kNoEnd = std::numeric_limits<double>::quiet_NaN();

}  // namespace

double Intervals::Counts::coverage() const {
    return rows > 0 ? static_cast<double>(inside) / static_cast<double>(rows) : kNoEnd;
}

Intervals::Intervals(std::size_t outputs, std::size_t horizon, const IntervalOptions& options)
    : tracker_(outputs, options),
      horizon_(horizon),
      counts_(outputs),
      low_(outputs, kNoEnd),
      high_(outputs, kNoEnd),
      forecast_low_(horizon > 0 ? outputs : 0, kNoEnd),
      forecast_high_(horizon > 0 ? outputs : 0, kNoEnd),
      pending_low_(horizon * outputs, kNoEnd),
      pending_high_(horizon * outputs, kNoEnd) {}

void Intervals::give(std::span<const double> predicted, std::vector<double>& low, std::vector<double>& high) const {
    for (std::size_t j = 0; j < predicted.size(); ++j) {
        const auto interval = tracker_.interval(j, predicted[j]);
        low[j] = interval ? interval->low : kNoEnd;
        high[j] = interval ? interval->high : kNoEnd;
    }
}

void Intervals::score(std::size_t output, double predicted, double observed, double low, double high,
                      std::size_t rows_late, bool scored) {
    const bool given = !std::isnan(low);
    const Interval interval{.low = low, .high = high};
    if (scored && given && !std::isnan(observed)) {
        Counts& counts = counts_[output];
        ++counts.rows;
        counts.inside += interval.contains(observed) ? 1U : 0U;
        const auto rows = static_cast<double>(counts.rows);
        counts.mean_width +=
            ((high / rows) - (low / rows)) - (counts.mean_width / rows);  // high - low may be too large
    }
    tracker_.add(output, {.predicted = predicted,
                          .observed = observed,
                          .given = given ? std::optional(interval) : std::nullopt,
                          .rows_late = rows_late});
}

void Intervals::add(const Learner::Step& step, std::span<const double> observed, bool scored) {
    const std::size_t outputs = counts_.size();
    const std::size_t slot = horizon_ > 0 ? rows_ % horizon_ : 0;
    const auto pending_low = std::span(pending_low_).subspan(slot * outputs, horizon_ > 0 ? outputs : 0);
    const auto pending_high = std::span(pending_high_).subspan(slot * outputs, horizon_ > 0 ? outputs : 0);
    if (horizon_ > 0) {
        std::ranges::copy(pending_low, low_.begin());
        std::ranges::copy(pending_high, high_.begin());
    } else {
        give(step.predicted, low_, high_);
    }
    for (std::size_t j = 0; j < outputs; ++j) {
        score(j, step.predicted[j], observed[j], low_[j], high_[j], horizon_ > 0 ? horizon_ - 1 : 0, scored);
    }
    if (horizon_ > 0) {
        give(step.forecast, forecast_low_, forecast_high_);
        std::ranges::copy(forecast_low_, pending_low.begin());
        std::ranges::copy(forecast_high_, pending_high.begin());
    }
    ++rows_;
}

void Intervals::save(core::StateWriter& out) const {
    out.put(tracker_.coverage());
    out.put(rows_);
    for (const Counts& counts : counts_) {
        out.put(counts.rows);
        out.put(counts.inside);
        out.put(counts.mean_width);
    }
    tracker_.save(out);
    out.put_raw(pending_low_);
    out.put_raw(pending_high_);
}

Intervals Intervals::load(core::StateReader& in, std::size_t outputs, std::size_t horizon) {
    IntervalOptions options;
    in.get(options.coverage);
    in.require(options.problems().empty(), "the coverage of its intervals is out of range");
    in.require(in.left() / (2 * sizeof(double)) / outputs >= horizon, "it has fewer intervals than its horizon needs");
    Intervals intervals(outputs, horizon, options);
    in.get(intervals.rows_);
    for (Counts& counts : intervals.counts_) {
        in.get(counts.rows);
        in.get(counts.inside);
        in.get(counts.mean_width);
        in.require(counts.inside <= counts.rows && counts.mean_width >= 0.0,
                   "the counts of its intervals contradict each other");
    }
    intervals.tracker_.load(in);
    in.get_raw(intervals.pending_low_);
    in.get_raw(intervals.pending_high_);
    for (std::size_t i = 0; i < intervals.pending_low_.size(); ++i) {
        const double low = intervals.pending_low_[i];
        const double high = intervals.pending_high_[i];
        in.require(std::isnan(low) ? std::isnan(high) : low <= high, "the ends of an interval contradict each other");
    }
    return intervals;
}

void append_intervals(io::JsonWriter& json, const Intervals& intervals, const std::vector<std::string>& targets) {
    json.begin_object().member("asked", intervals.coverage_asked()).key("targets").begin_object();
    for (std::size_t j = 0; j < targets.size(); ++j) {
        const Intervals::Counts& counts = intervals.counts()[j];
        json.key(targets[j])
            .begin_object()
            .member("coverage", counts.coverage())
            .member("mean_width", counts.rows > 0 ? counts.mean_width : kNoEnd)
            .member("rows", counts.rows)
            .end_object();
    }
    json.end_object().end_object();
}

}  // namespace sluice::job
