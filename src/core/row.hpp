// row.hpp -- one row of the stream on its way into the moments.
#pragma once

#include <span>

namespace sluice::core {

/// A number within +-kInRange can be squared and summed in a column unit of 1.
constexpr double kInRange = 0x1p64;

struct Row {
    std::span<const double> x;                ///< NaN: missing
    std::span<const double> y;                ///< absent outputs are filled in; NaN: never observed yet
    std::span<const unsigned char> observed;  ///< 0 where y was filled in
    bool in_range = false;                    ///< no x is missing and all lie within +-kInRange
};

}  // namespace sluice::core
