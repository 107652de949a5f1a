// symmetric_kernels.cpp -- products of rows added to a block of C and to its mirror image.
//
//     C_ij += sum_b g_bi g_bj,   C_ji = C_ij                                                                  eq. (15)
//
// Tiles of 8 columns (4 where there are 16 registers) by up to three vectors: their sums stay in registers for all rows,
// so that arithmetic is the limit and not memory. A tile is then stored, and its transpose at its mirror image: half of
// the multiplications, and columns of C that are read without gaps. Rows are added one after the other, each as the
// product of two numbers: the bits depend neither on when an entry gets them nor on the side of the diagonal.
#include "symmetric_kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "symmetric_kernels.cpp"
#include "simd_inl.hpp"  // compiles this file once for each set of vector instructions

HWY_BEFORE_NAMESPACE();
namespace sluice::core::kernels::HWY_NAMESPACE {

constexpr std::size_t kN = hn::MaxLanes(Numbers());
constexpr std::size_t kTileColumns = kN == 8 ? 8 : 4;
constexpr std::size_t kLine = 64 / sizeof(double);

// Stores the transpose of the kN x kN tile whose columns are c[0], c[1], ...
#if HWY_TARGET == HWY_SCALAR
HWY_INLINE void StoreTransposed(const Vec* HWY_RESTRICT c, double* to, std::size_t /*stride*/) {
    hn::Store(c[0], Numbers(), to);
}
#else
template <std::size_t kUpper>
HWY_INLINE Vec Interleave(Vec a, Vec b) {
    const Numbers d;
    if constexpr (kUpper == 0) {
        return hn::InterleaveLower(d, a, b);
    } else {
        return hn::InterleaveUpper(d, a, b);
    }
}

// Rows kFirst, kFirst + 2, ... of the transpose.
template <std::size_t kFirst>
HWY_INLINE void StoreEveryOtherRow(const Vec* HWY_RESTRICT c, double* to, std::size_t stride) {
    const Numbers d;
    const Vec a = Interleave<kFirst>(c[0], c[1]);
    if constexpr (kN == 2) {
        hn::Store(a, d, to);
    } else if constexpr (kN == 4) {
        const Vec b = Interleave<kFirst>(c[2], c[3]);
        hn::Store(hn::ConcatLowerLower(d, b, a), d, to);
        hn::Store(hn::ConcatUpperUpper(d, b, a), d, to + (2 * stride));
    } else {
        const Vec b = Interleave<kFirst>(c[2], c[3]);
        const Vec e = Interleave<kFirst>(c[4], c[5]);
        const Vec f = Interleave<kFirst>(c[6], c[7]);
        const Vec even_ab = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(b), a);
        const Vec even_ef = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(f), e);
        const Vec odd_ab = hn::OddEvenBlocks(b, hn::SwapAdjacentBlocks(a));
        const Vec odd_ef = hn::OddEvenBlocks(f, hn::SwapAdjacentBlocks(e));
        hn::Store(hn::ConcatLowerLower(d, even_ef, even_ab), d, to);
        to += 2 * stride;
        hn::Store(hn::ConcatLowerLower(d, odd_ef, odd_ab), d, to);
        to += 2 * stride;
        hn::Store(hn::ConcatUpperUpper(d, even_ef, even_ab), d, to);
        to += 2 * stride;
        hn::Store(hn::ConcatUpperUpper(d, odd_ef, odd_ab), d, to);
    }
}

HWY_INLINE void StoreTransposed(const Vec* HWY_RESTRICT c, double* to, std::size_t stride) {
    StoreEveryOtherRow<0>(c, to, stride);
    StoreEveryOtherRow<1>(c, to + stride, stride);
}
#endif

// kVectors vectors from entry i on in kTileColumns columns from j on. The lines of the mirror image, and those of the
// next tile, are fetched while the sums are formed.
template <std::size_t kVectors>
HWY_INLINE void AddTile(const double* const* HWY_RESTRICT rows, std::size_t count, std::size_t i, std::size_t j,
                        double* C, std::size_t stride) {
    const Numbers d;
    Vec sum[kVectors][kTileColumns];  // NOLINT(modernize-avoid-c-arrays): a vector in std::array loses its alignment
    double* const tile = C + (j * stride) + i;
    double* const mirror = C + (i * stride) + j;
    const double* from = tile;
    for (std::size_t c = 0; c < kTileColumns; ++c, from += stride) {
        for (std::size_t v = 0; v < kVectors; ++v) {
            sum[v][c] = hn::Load(d, from + (v * kN));
            if (v * kN % kLine == 0) {
                hwy::Prefetch(from + (kVectors * kN) + (v * kN));
            }
        }
    }
    const double* line = mirror;
    for (std::size_t r = 0; r < kVectors * kN; ++r, line += stride) {
        hwy::Prefetch(line);
    }
    for (std::size_t b = 0; b < count; ++b) {
        const double* HWY_RESTRICT at_i = rows[b] + i;
        const double* HWY_RESTRICT at_j = rows[b] + j;
        Vec own[kVectors];  // NOLINT(modernize-avoid-c-arrays)
        for (std::size_t v = 0; v < kVectors; ++v) {
            own[v] = hn::Load(d, at_i + (v * kN));
        }
        for (std::size_t c = 0; c < kTileColumns; ++c) {
            const Vec factor = hn::Set(d, at_j[c]);
            for (std::size_t v = 0; v < kVectors; ++v) {
                sum[v][c] = hn::MulAdd(own[v], factor, sum[v][c]);
            }
        }
    }
    double* to = tile;
    for (std::size_t c = 0; c < kTileColumns; ++c, to += stride) {
        for (std::size_t v = 0; v < kVectors; ++v) {
            hn::Store(sum[v][c], d, to + (v * kN));
        }
    }
    to = mirror;
    for (std::size_t v = 0; v < kVectors; ++v, to += kN * stride) {
        for (std::size_t c = 0; c < kTileColumns; c += kN) {
            StoreTransposed(&sum[v][c], to + c, stride);
        }
    }
}

void AddSymmetric(const double* const* rows, std::size_t count, const Block& block, double* C, std::size_t stride) {
    const bool own_mirror = block.i == block.j;
    for (std::size_t j = block.j; j < block.j + block.width; j += kTileColumns) {
        std::size_t i = own_mirror ? j / kN * kN : block.i;  // on the diagonal the entries above are mirrored
        const std::size_t last = block.i + block.height;
        for (; i + (3 * kN) <= last && (last - i) % (2 * kN) != 0; i += 3 * kN) {
            AddTile<3>(rows, count, i, j, C, stride);
        }
        for (; i + (2 * kN) <= last; i += 2 * kN) {
            AddTile<2>(rows, count, i, j, C, stride);
        }
        for (; i < last; i += kN) {
            AddTile<1>(rows, count, i, j, C, stride);
        }
    }
}

}  // namespace sluice::core::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sluice::core::kernels {

HWY_EXPORT(AddSymmetric);

void add_symmetric(const double* const* rows, std::size_t count, const Block& block, double* C, std::size_t stride) {
    HWY_DYNAMIC_DISPATCH(AddSymmetric)(rows, count, block, C, stride);
}

}  // namespace sluice::core::kernels
#endif  // HWY_ONCE
