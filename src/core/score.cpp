// score.cpp -- running error and variance of one output; the variance by Welford's update, free of cancellation.
#include "sluice/score.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "column_units.hpp"

namespace sluice {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

double root_of_mean(double sum, std::size_t count, int exponent) {
    return count > 0 ? std::ldexp(std::sqrt(sum / static_cast<double>(count)), exponent) : kNone;
}

}  // namespace

// The unit stays 1 while values are between 2^-200 and 2^200. A larger value, or a first value that is smaller, becomes the
// unit. Multiplying by a power of two is exact.
void Score::fit_unit_to(double size) {
    constexpr int kPlain = 200;
    if (size == 0.0 || !std::isfinite(size)) {
        return;
    }
    const bool only_zeros = sums_.mean == 0.0 && sums_.spread == 0.0 && sums_.error == 0.0;
    const int exponent = core::exponent_of(size);
    const int larger_by = exponent - sums_.exponent;
    if (larger_by > kPlain || (larger_by < -kPlain && only_zeros)) {
        sums_.mean = std::ldexp(sums_.mean, -larger_by);
        sums_.spread = std::ldexp(sums_.spread, -2 * larger_by);
        sums_.error = std::ldexp(sums_.error, -2 * larger_by);
        sums_.exponent = exponent;
    }
}

void Score::add(double observed, double predicted) {
    if (std::isnan(observed)) {
        return;
    }
    fit_unit_to(std::max(std::abs(observed), std::abs(predicted)));
    const double unit = core::power_of_two(-sums_.exponent);
    const double y = observed * unit;
    const double error = y - (predicted * unit);
    ++sums_.count;
    const double deviation = y - sums_.mean;
    sums_.mean += deviation / static_cast<double>(sums_.count);
    sums_.spread += deviation * (y - sums_.mean);
    sums_.error += error * error;
}

double Score::error_over_variance() const {
    return sums_.spread > 0.0 ? sums_.error / sums_.spread : kNone;
}

double Score::rmse() const {
    return root_of_mean(sums_.error, sums_.count, sums_.exponent);
}

double Score::deviation() const {
    return root_of_mean(sums_.spread, sums_.count, sums_.exponent);
}

}  // namespace sluice
