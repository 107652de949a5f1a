// input_kernels.hpp -- the loops over all inputs of a row, beside those of the moments.
#pragma once

#include <cstddef>

namespace sluice::tune::kernels {

/// A row of the usual range of inputs (input_range.hpp).
struct RangeRow {
    double rows;     // with this one
    double largest;  // size of a value
    double most_ratio;
};
/// m <- m + (x - m) / rows; s <- s sqrt(1 + (r^2 - 1) / rows), r = |x - m| / s, for n inputs, a multiple of eight; a missing value
/// changes nothing. Where s is 0 it becomes |x - m| / sqrt(rows), but not in the first row. The largest r.
[[nodiscard]] double add_to_range(const double* x, std::size_t n, const RangeRow& row, double* mean, double* spread);

}  // namespace sluice::tune::kernels
