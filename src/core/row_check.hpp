// row_check.hpp -- what a row may hold, and what a model may answer: never an infinity.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>

namespace sluice::core {

/// A number beyond the largest becomes the largest.
inline double finite(double value) {
    constexpr double kMost = std::numeric_limits<double>::max();
    return std::clamp(value, -kMost, kMost);
}

/// Whether all numbers are within range: none missing, none very large (row.hpp). Throws DataError where one is infinite or the width is
/// wrong.
bool check_row(std::span<const double> row, std::size_t width, const char* name, const char* what);

[[nodiscard]] std::size_t missing_in(std::span<const double> row);

/// |y - predicted| over the outputs that were observed.
[[nodiscard]] double error_of(std::span<const double> y, std::span<const double> predicted);

}  // namespace sluice::core
