// small_numbers.hpp -- stored sums shrink when they are renormalised or change their unit; what becomes negligible is zero.
#pragma once

#include <cmath>
#include <span>

namespace sluice::core {

/// Numbers below this weigh nothing and would end as slow denormals.
constexpr double kNegligible = 0x1p-900;

inline void multiply(double& value, double factor) {
    value *= factor;
    value = std::abs(value) < kNegligible ? 0.0 : value;
}

/// The same in single precision, whose numbers end sooner.
constexpr float kNegligibleSingle = 0x1p-100F;

inline void multiply(float& value, float factor) {
    value *= factor;
    value = std::abs(value) < kNegligibleSingle ? 0.0F : value;
}

inline void multiply(std::span<double> values, double factor) {
    for (double& value : values) {
        multiply(value, factor);
    }
}

inline void multiply(std::span<float> values, float factor) {
    for (float& value : values) {
        multiply(value, factor);
    }
}

}  // namespace sluice::core
