// target_lines.hpp -- of one target, bin by bin: predicted and observed values, the interval, and the errors of the model
// beside those of two forecasts that need no model, over the same rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "range.hpp"
#include "stream_row.hpp"

namespace sluice::report {

struct TargetBin {
    Range predicted;
    Range observed;
    Range low;   ///< its smallest counts
    Range high;  ///< its largest counts
    std::uint64_t with_interval = 0;
    std::uint64_t inside = 0;

    // Over the rows for which the model, the last value and the mean all had a prediction.
    std::uint64_t scored = 0;
    double squares = 0.0;
    double squares_last_value = 0.0;
    double squares_mean = 0.0;
    double centre = 0.0;  ///< mean of what was observed in these rows
    double spread = 0.0;  ///< sum of squared deviations from it
    double peak = -1.0;   ///< the largest error of the model, and its row
    std::uint64_t peak_row = 0;

    void join(const TargetBin& other);
};

/// What is known of an output before a row: the mean of its values and the last one.
struct Known {
    double mean = kUnknown;
    double last_value = kUnknown;
    std::uint64_t values = 0;
    void learn(double observed);
};

/// Of one row.
struct Scored {
    std::uint64_t row = 0;
    double predicted = kUnknown;
    double observed = kUnknown;
    Known known;  ///< when the prediction was made
};
void add_score(TargetBin& bin, const Scored& row);
void count_inside(TargetBin& bin, double low, double high, double observed);

}  // namespace sluice::report
