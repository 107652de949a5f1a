#include "experiments/common/result.hpp"

#include <algorithm>
#include <cmath>

namespace sluice::experiments {

double Check::away() const {
    return at_least ? std::max(expected - measured, 0.0) : std::abs(measured - expected);
}

bool Check::met() const {
    return at_least ? measured >= expected : away() <= kTolerance + (2.0 * standard_error);
}

}  // namespace sluice::experiments
