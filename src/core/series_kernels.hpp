// series_kernels.hpp -- products of many series of the history at once; kernels.hpp states lengths, alignment and sums.
#pragma once

#include <cstddef>

namespace sluice::core::kernels {

/// Rows of a ring: first .. last - 1, then 0 .. wrapped - 1. All three are multiples of kLanes.
struct RingRows {
    std::size_t first;
    std::size_t last;
    std::size_t wrapped;
    [[nodiscard]] std::size_t count() const { return last - first + wrapped; }
};

/// out[c * targets + m] = sum_t series[c][t] target[m][t], for c < count and m < targets, t being the given rows in their
/// order. The bits of a result do not depend on what else the call computes.
void dots(const double* const* series, std::size_t count, const double* const* target, std::size_t targets,
          const RingRows& rows, double* out);
void dots(const float* const* series, std::size_t count, const double* const* target, std::size_t targets,
          const RingRows& rows, double* out);

/// scores_t = sum_c series[c][t] coefficient[c] and weighted_t = weight_t scores_t, at first <= t < last.
void weighted_scores(const double* const* series, std::size_t count, const double* coefficient, const double* weight,
                     std::size_t first, std::size_t last, double* scores, double* weighted);

}  // namespace sluice::core::kernels
