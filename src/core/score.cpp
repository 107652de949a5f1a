// score.cpp -- running error and variance of one output; the variance by Welford's update, free of cancellation.
#include "sluice/score.hpp"

#include <cmath>
#include <limits>

namespace sluice {

void Score::add(double observed, double predicted) {
    if (std::isnan(observed)) {
        return;
    }
    ++sums_.count;
    const double deviation = observed - sums_.mean;
    sums_.mean += deviation / static_cast<double>(sums_.count);
    sums_.spread += deviation * (observed - sums_.mean);
    sums_.error += (observed - predicted) * (observed - predicted);
}

double Score::error_over_variance() const {
    return sums_.spread > 0.0 ? sums_.error / sums_.spread : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace sluice
