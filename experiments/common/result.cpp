#include "experiments/common/result.hpp"

#include <algorithm>
#include <cmath>

namespace sluice::experiments {

double Check::away() const {
    return is_goal ? std::max(reference - measured, 0.0) : std::abs(measured - reference);
}

bool Check::met() const {
    return is_goal ? measured >= reference : away() <= kTolerance + (2.0 * standard_error);
}

}  // namespace sluice::experiments
