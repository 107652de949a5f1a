// factor_kernels.hpp -- Cholesky factors of four shrinkages at once, and what is solved with them (memory.hpp).
#pragma once

#include <cstddef>
#include <span>

#include "constants.hpp"

namespace sluice::tune::kernels {

/// Numbers from one row of L to the next: the same for all sizes, so that a kernel has no distances to compute.
inline constexpr std::size_t kFactorRow = std::size_t{4} * 52;
static_assert(kFactorRow >= 4 * kSizes.back());

/// L L' = A + ridge_r I for four ridges at once. A: by rows of `size` numbers, unit diagonal; only its lower half is read.
/// L: entry (i, j) of the four factors at kFactorRow i + 4 j; the diagonal holds inverses. `more` further rows of A become L^-1 of
/// themselves: rows of L below the factors.
void factor_four(const double* A, std::size_t size, std::size_t more, const double* ridges, double* L);
/// x <- L^-1 x for the four factors: x[4 i + r].
void forward_four(const double* L, std::size_t size, double* x);

/// How the sums of a memory's path become predictions of one output.
struct PathOutput {
    double mean;
    double unit;   // E; 0: the mean alone
    double scale;  // power of two
    double most;   // size of a prediction
    double low;    // bounds, where low < high
    double high;
};
/// out[4 s + r] = mean + sum_{i < sizes_s} v[4 i + r] z[4 i + r] / unit, scaled and bounded, for each of the numbers of names in `sizes`,
/// which ascend; v and z have `size` of four. A number that is none becomes the lower bound or -most.
void predict_four(const double* v, const double* z, std::size_t size, std::span<const std::size_t> sizes,
                  const PathOutput& output, double* out);

}  // namespace sluice::tune::kernels
