// factor_kernels.hpp -- Cholesky factors of four shrinkages at once, and what is solved with them (memory.hpp).
#pragma once

#include <cstddef>

namespace sluice::tune::kernels {

/// L L' = A + ridge_r I for four ridges at once. A: size x size by rows, unit diagonal; only its lower half is read.
/// L: entry (i, j) of the four factors at 4 (i size + j); the diagonal holds inverses.
void factor_four(const double* A, std::size_t size, const double* ridges, double* L);
/// x <- L^-1 x for the four factors: x[4 i + r].
void forward_four(const double* L, std::size_t size, double* x);

}  // namespace sluice::tune::kernels
