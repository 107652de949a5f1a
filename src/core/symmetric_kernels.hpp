// symmetric_kernels.hpp -- products of rows added to a block of C and to its mirror image; kernels.hpp states lengths,
// alignment and sums.
#pragma once

#include <cstddef>

namespace sluice::core::kernels {

/// A block of C: `height` entries from i on in each of `width` columns from j on, all multiples of kLanes.
struct Block {
    std::size_t i;
    std::size_t height;
    std::size_t j;
    std::size_t width;
};

/// C_ij += sum_b rows[b]_i rows[b]_j in the block, and the same number at C_ji; columns are `stride` apart. The block
/// has no entry in common with its mirror image, or is its own (i = j, height = width). One call or several give the
/// same bits.
void add_symmetric(const double* const* rows, std::size_t count, const Block& block, double* C, std::size_t stride);

}  // namespace sluice::core::kernels
