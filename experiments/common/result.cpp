#include "experiments/common/result.hpp"

#include <cmath>

namespace sluice::experiments {

double Check::away() const {
    return std::abs(measured - expected);
}

bool Check::met() const {
    return away() <= kTolerance + (2.0 * standard_error);
}

}  // namespace sluice::experiments
