// sweep.hpp -- the sweep operator (Goodnight 1979): regressions on subsets of variables by exchanging one at a time.
//
//     T = [ A  m ]     after sweeping all of A:    [ P   B ]     P = A^-1, B = A^-1 m: coefficients
//         [ m' y ]                                 [ -B' y - m'A^-1 m ]
//
// A variable's loss, what the fit would lose without it, is sum_k B_ik^2 / P_ii. Symmetric in the absolute value; stored in full.
#pragma once

#include <cstddef>
#include <span>

namespace sluice::tune {

/// Sweeps T (n x n by rows) on pivot i: brings the variable in. Its inverse is the same with signs exchanged (unsweep).
inline void sweep(std::span<double> T, std::size_t n, std::size_t i) {
    const double pivot = 1.0 / T[(i * n) + i];
    double* row_i = T.data() + (i * n);
    for (std::size_t c = 0; c < n; ++c) {
        row_i[c] *= pivot;
    }
    for (std::size_t r = 0; r < n; ++r) {
        if (r == i) {
            continue;
        }
        double* row = T.data() + (r * n);
        const double factor = row[i];
        for (std::size_t c = 0; c < n; ++c) {
            row[c] -= factor * row_i[c];
        }
        row[i] = -factor * pivot;
    }
    row_i[i] = pivot;
}

}  // namespace sluice::tune
