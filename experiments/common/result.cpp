#include "experiments/common/result.hpp"

#include <algorithm>
#include <cmath>

namespace sluice::experiments {

bool Check::met() const {
    return std::abs(measured - expected) <= tolerance;
}

double tolerance_for(std::size_t runs) {
    constexpr double kTolerance = 0.03;
    constexpr double kRuns = 500.0;
    return kTolerance * std::sqrt(kRuns / std::min(static_cast<double>(runs), kRuns));
}

}  // namespace sluice::experiments
