// uniform.hpp -- numbers in [0, 1) that are the same on every machine.
#pragma once

#include <random>

namespace sluice {

inline double uniform(std::mt19937_64& bits) {
    constexpr double kScale = 0x1p-53;
    return static_cast<double>(bits() >> 11U) * kScale;
}

}  // namespace sluice
