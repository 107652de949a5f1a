#include "experiments/common/result.hpp"

#include <algorithm>
#include <cmath>

namespace sluice::experiments {

double Check::away() const {
    const double short_of = at_most ? measured - reference : reference - measured;
    return is_goal ? std::max(short_of, 0.0) : std::abs(measured - reference);
}

bool Check::met() const {
    return is_goal ? away() == 0.0 : away() <= kTolerance + (2.0 * standard_error);
}

}  // namespace sluice::experiments
