// error_watch.hpp -- which labels lie too far from their predictions to be believed at once.
//
//     |y - predicted| > max(2 largest, 6 mean, |y - level| / 2)
//
// with the largest and the mean of recent errors, and the slow mean of the labels. The last bound spares large labels that were
// predicted in part: an outlier of the inputs as well. Of the first 50 labels, in which the model begins and its errors are large, a
// label very far outside of the range of those before it is suspect too.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "far_outside.hpp"
#include "robust_constants.hpp"
#include "state.hpp"

namespace sluice::tune {

class ErrorWatch {
  public:
    explicit ErrorWatch(std::size_t outputs) : of_(outputs) {}

    /// steady: the forecast rests on many rows. Else only labels outside of their range are suspect.
    [[nodiscard]] bool suspect(std::size_t output, double label, double error, bool steady) const {
        const Output& one = of_[output];
        if (one.known < kFewestJudging || !(one.largest > 0.0)) {
            return false;
        }
        const double reach = one.known < kFewestKnown ? kFarthest : kFirstReach;
        if (one.known < kErrorRows && far_outside(label, one.low, one.high, reach)) {
            return true;
        }
        if (one.known < kFewestKnown) {
            return false;
        }
        const double outside = kLabelOutside * (one.high - one.low);
        if (!steady && label >= one.low - outside && label <= one.high + outside) {
            return false;
        }
        return std::abs(error) >
               std::max({kErrorReach * one.largest, kErrorTimes * one.mean, kLabelShare * std::abs(label - one.level)});
    }
    /// The usual size of an error.
    [[nodiscard]] double usual(std::size_t output) const { return of_[output].mean; }
    /// A suspect label, moved to the usual distance from its prediction. The mean may still hold the errors of a model that had just
    /// begun: the largest error does not, and before it is known the range of the labels is a bound too.
    [[nodiscard]] double bounded(std::size_t output, double predicted, double error) const {
        const Output& one = of_[output];
        const double label = predicted + std::copysign(std::min(one.mean, one.largest), error);
        return one.known < kErrorRows ? std::clamp(label, one.low, one.high) : label;
    }
    /// An error, in largest ones; 0 before any.
    [[nodiscard]] double in_largest(std::size_t output, double error) const {
        const double largest = of_[output].largest;
        return largest > 0.0 ? std::min(std::abs(error) / largest, kMost) : 0.0;
    }

    /// Whether labels of this output have not repeated themselves for long: one that does is that of a sensor that has stopped.
    [[nodiscard]] bool never_repeats(std::size_t output) const { return of_[output].unlike >= kLabelsUnlike; }

    /// A label that is believed.
    void add(std::size_t output, double label, double error) {
        Output& one = of_[output];
        const double value = std::clamp(label, -kMost, kMost);
        const double size = std::min(std::abs(error), kMost);
        if (one.known == 0) {
            one = {.level = value, .low = value, .high = value, .mean = size};
        }
        one.unlike = one.known > 0 && value == one.last ? 0 : std::min<std::uint64_t>(one.unlike + 1, kLabelsUnlike);
        one.last = value;
        one.level += kLevelStep * (value - one.level);
        one.low = std::min(one.low, value);
        one.high = std::max(one.high, value);
        one.largest = std::max(kErrorDecay * one.largest, size);
        if (one.known < kErrorRows) {
            ++one.known;
            one.settled = one.known > kErrorRows / 2 ? std::max(one.settled, size) : 0.0;
            if (one.known == kErrorRows) {
                one.largest = one.settled;  // without those of a model that had just begun
            }
        }
        one.mean += (size - one.mean) / static_cast<double>(one.known);
    }

    void save(core::StateWriter& out) const {
        for (const Output& one : of_) {
            for (const double number : {one.level, one.low, one.high, one.mean, one.largest, one.settled, one.last}) {
                out.put(number);
            }
            out.put(one.known);
            out.put(one.unlike);
        }
    }
    void load(core::StateReader& in) {
        for (Output& one : of_) {
            for (double* number : {&one.level, &one.low, &one.high, &one.mean, &one.largest, &one.settled, &one.last}) {
                in.get(*number);
                in.require(std::abs(*number) <= kMost, "a label or an error that was believed is too large");
            }
            in.get(one.known);
            in.get(one.unlike);
            in.require(one.known <= kErrorRows && one.unlike <= kLabelsUnlike && one.low <= one.high &&
                           one.mean >= 0.0 && one.largest >= 0.0 && one.settled >= 0.0,
                       "what recent rows allow an error is out of range");
        }
    }

  private:
    struct Output {
        double level = 0.0;  // slow mean of the labels
        double low = 0.0;    // of all labels
        double high = 0.0;
        double mean = 0.0;     // of sizes of errors
        double largest = 0.0;  // of them, decaying
        double settled = 0.0;  // largest in the second half of the first rows
        double last = 0.0;     // label
        std::uint64_t known = 0;
        std::uint64_t unlike = 0;  // labels since one that repeats the one before
    };
    static constexpr double kMost = std::numeric_limits<double>::max() / 16.0;  // multiples of it are finite

    std::vector<Output> of_;
};

}  // namespace sluice::tune
