// interval_methods.hpp -- ways to put an interval around a prediction, fed with the same predictions and outputs.
//
//   ours         IntervalTracker
//   gaussian     mean and deviation of the errors so far, all alike or with a memory of 100 rows
//   window       quantile of the last 250 errors: split conformal, no feedback
//   aci          its level moved by gamma with each hit and miss                  Gibbs and Candes 2021
//   dtaci        eight gammas, weighted by their pinball losses                   Gibbs and Candes 2022
//   pid          the quantile itself moved, with an integral of the misses        Angelopoulos, Candes and Tibshirani 2023
//
// A quantile beyond the largest known error would be infinite: three times that error takes its place.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sluice/interval.hpp"

namespace sluice::bench {

class IntervalMethod {
  public:
    IntervalMethod() = default;
    virtual ~IntervalMethod() = default;
    IntervalMethod(const IntervalMethod&) = delete;
    IntervalMethod& operator=(const IntervalMethod&) = delete;
    IntervalMethod(IntervalMethod&&) = delete;
    IntervalMethod& operator=(IntervalMethod&&) = delete;

    [[nodiscard]] virtual std::optional<Interval> interval(double predicted) = 0;
    /// `given` is what interval() gave for it.
    virtual void add(double predicted, double observed, const std::optional<Interval>& given) = 0;
};

struct NamedMethod {
    std::string name;
    std::function<std::unique_ptr<IntervalMethod>()> make;
};

/// `late`: this number of other outputs becomes known between a prediction and its own output.
[[nodiscard]] NamedMethod our_intervals(double coverage, std::size_t late = 0);
/// With a memory of 100 rows: narrower than over all errors, and nearer to what was asked.
[[nodiscard]] NamedMethod gaussian_intervals(double coverage);
[[nodiscard]] std::vector<NamedMethod> other_intervals(double coverage);

}  // namespace sluice::bench
