// power_of_two.hpp -- a unit in which values of this size are near 1: dividing by it rounds nothing.
#pragma once

#include <cmath>

namespace sluice::baselines {

inline double power_of_two_near(double value) {
    return value > 0.0 ? std::ldexp(1.0, std::ilogb(value)) : 1.0;
}

}  // namespace sluice::baselines
