// range.hpp -- what is left of the values of a line within a bin of rows: the smallest, the largest and the mean.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace sluice::report {

struct Range {
    double min = std::numeric_limits<double>::infinity();
    double max = -std::numeric_limits<double>::infinity();
    double mean = 0.0;
    std::uint64_t count = 0;

    /// NaN is no value.
    void add(double value) {
        if (std::isnan(value)) {
            return;
        }
        min = std::min(min, value);
        max = std::max(max, value);
        ++count;
        const auto n = static_cast<double>(count);
        mean += (value / n) - (mean / n);  // value - mean may be too large a number
    }
    void join(const Range& other) {
        if (other.count == 0) {
            return;
        }
        min = std::min(min, other.min);
        max = std::max(max, other.max);
        const auto n = static_cast<double>(count);
        const auto m = static_cast<double>(other.count);
        mean = (mean * (n / (n + m))) + (other.mean * (m / (n + m)));
        count += other.count;
    }
    friend bool operator==(const Range&, const Range&) = default;
};

}  // namespace sluice::report
