// far_outside.hpp -- whether a value lies far outside of a range.
#pragma once

#include <algorithm>
#include <limits>

namespace sluice::tune {

/// By more than `reach` times the width of [low, high]. Never where low = high: what has not varied allows anything.
[[nodiscard]] inline bool far_outside(double value, double low, double high, double reach) {
    constexpr double kWidest = std::numeric_limits<double>::max() / 8.0;  // sums of a few such numbers are finite
    if (!(low < high)) {
        return false;
    }
    const double most = reach * std::min((high / 2.0) - (low / 2.0), kWidest) * 2.0;
    return value < low - most || value > high + most;
}

}  // namespace sluice::tune
