// score.cpp -- running error and variance of one output; the variance by Welford's update, free of cancellation.
#include "sluice/score.hpp"

#include <cmath>
#include <limits>

namespace sluice {

void Score::add(double observed, double predicted) {
    if (std::isnan(observed)) {
        return;
    }
    ++count_;
    const double deviation = observed - mean_;
    mean_ += deviation / static_cast<double>(count_);
    spread_ += deviation * (observed - mean_);
    error_ += (observed - predicted) * (observed - predicted);
}

double Score::error_over_variance() const {
    return spread_ > 0.0 ? error_ / spread_ : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace sluice
