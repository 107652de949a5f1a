#include "target_lines.hpp"

#include <cmath>

namespace sluice::report {

void TargetBin::join(const TargetBin& other) {
    predicted.join(other.predicted);
    observed.join(other.observed);
    low.join(other.low);
    high.join(other.high);
    with_interval += other.with_interval;
    inside += other.inside;
    if (other.scored > 0) {
        const auto n = static_cast<double>(scored);
        const auto m = static_cast<double>(other.scored);
        const double apart = other.centre - centre;
        spread += other.spread + (apart * apart * (n * m / (n + m)));
        centre += apart * (m / (n + m));
    }
    scored += other.scored;
    squares += other.squares;
    squares_last_value += other.squares_last_value;
    squares_mean += other.squares_mean;
    if (other.peak > peak) {
        peak = other.peak;
        peak_row = other.peak_row;
    }
}

void Known::learn(double observed) {
    if (std::isnan(observed)) {
        return;
    }
    ++values;
    const auto n = static_cast<double>(values);
    mean = values == 1 ? observed : mean + ((observed / n) - (mean / n));
    last_value = observed;
}

void add_score(TargetBin& bin, const Scored& row) {
    if (std::isnan(row.predicted) || std::isnan(row.observed) || std::isnan(row.known.last_value)) {
        return;
    }
    const auto squared = [&](double forecast) { return (row.observed - forecast) * (row.observed - forecast); };
    ++bin.scored;
    bin.squares += squared(row.predicted);
    bin.squares_last_value += squared(row.known.last_value);
    bin.squares_mean += squared(row.known.mean);
    const double apart = row.observed - bin.centre;
    bin.centre += apart / static_cast<double>(bin.scored);
    bin.spread += apart * (row.observed - bin.centre);
    const double error = std::abs(row.observed - row.predicted);
    if (error > bin.peak) {
        bin.peak = error;
        bin.peak_row = row.row;
    }
}

void count_inside(TargetBin& bin, double low, double high, double observed) {
    if (!std::isnan(low) && !std::isnan(high) && !std::isnan(observed)) {
        ++bin.with_interval;
        if (low <= observed && observed <= high) {
            ++bin.inside;
        }
    }
}

}  // namespace sluice::report
