// solve_kernels.cpp -- the linear systems of a refit, which have as many rows as there are selected variables.
//
//     L L' = A + ridge I,   X <- L'^-1 L^-1 X
//
// A column of L is one to four vectors. Right sides are stored row by row, so that one vector has all of them: no row of X waits
// for more than the one before.
#include "solve_kernels.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "solve_kernels.cpp"
#include "simd_inl.hpp"  // compiles this file once for each set of vector instructions

HWY_BEFORE_NAMESPACE();
namespace sluice::core::kernels::HWY_NAMESPACE {

constexpr std::size_t kSides = 8;  // right sides that are solved at once

// The lower half of A in columns of whole vectors becomes L, with inverses on its diagonal.
HWY_INLINE void FactorInPlace(std::size_t size, std::size_t stride, double ridge, double* HWY_RESTRICT L) {
    const Numbers d;
    for (std::size_t c = 0; c < size; ++c) {
        double* const own = L + (c * stride);
        const std::size_t first = c / lanes() * lanes();
        own[c] += ridge;
        for (std::size_t i = first; i < size; i += lanes()) {
            Vec even = hn::Load(d, own + i);
            Vec odd = hn::Zero(d);
            std::size_t m = 0;
            for (; m + 1 < c; m += 2) {  // two sums: neither waits for the other
                const double* const column = L + (m * stride);
                even = hn::NegMulAdd(hn::Set(d, column[c]), hn::Load(d, column + i), even);
                odd = hn::NegMulAdd(hn::Set(d, column[stride + c]), hn::Load(d, column + stride + i), odd);
            }
            if (m < c) {
                even = hn::NegMulAdd(hn::Set(d, L[(m * stride) + c]), hn::Load(d, L + (m * stride) + i), even);
            }
            hn::Store(hn::Add(even, odd), d, own + i);
        }
        // In exact arithmetic a pivot is at least the ridge.
        const double inverse = 1.0 / std::sqrt(std::max(own[c], 0.5 * ridge));
        for (std::size_t i = first; i < size; i += lanes()) {
            hn::Store(hn::Mul(hn::Load(d, own + i), hn::Set(d, inverse)), d, own + i);
        }
        own[c] = inverse;
    }
}

// One vector of right sides, kSides numbers from one row to the next.
HWY_INLINE void SolveSides(const double* HWY_RESTRICT L, std::size_t size, std::size_t stride, double* HWY_RESTRICT X) {
    const Numbers d;
    for (std::size_t c = 0; c < size; ++c) {
        const Vec known = hn::Mul(hn::Load(d, X + (c * kSides)), hn::Set(d, L[(c * stride) + c]));
        hn::Store(known, d, X + (c * kSides));
        for (std::size_t i = c + 1; i < size; ++i) {
            double* const row = X + (i * kSides);
            hn::Store(hn::NegMulAdd(hn::Set(d, L[(c * stride) + i]), known, hn::Load(d, row)), d, row);
        }
    }
    for (std::size_t c = size; c-- > 0;) {
        const Vec known = hn::Mul(hn::Load(d, X + (c * kSides)), hn::Set(d, L[(c * stride) + c]));
        hn::Store(known, d, X + (c * kSides));
        for (std::size_t i = 0; i < c; ++i) {
            double* const row = X + (i * kSides);
            hn::Store(hn::NegMulAdd(hn::Set(d, L[(i * stride) + c]), known, hn::Load(d, row)), d, row);
        }
    }
}

void SolveWithRidge(const double* A, std::size_t size, double ridge, double* X, std::size_t columns) {
    alignas(64) double L[kMostRows * kMostRows];  // NOLINT: written next, as far as it is read
    alignas(64) double rows[kMostRows * kSides];  // NOLINT
    const std::size_t stride = (size + kSides - 1) / kSides * kSides;
    for (std::size_t c = 0; c < size; ++c) {
        const std::size_t first = c / kSides * kSides;
        std::copy(A + (c * size) + first, A + ((c + 1) * size), L + (c * stride) + first);
        std::fill(L + (c * stride) + size, L + ((c + 1) * stride), 0.0);
    }
    FactorInPlace(size, stride, ridge, L);
    for (std::size_t k = 0; k < columns; k += kSides) {
        const std::size_t sides = std::min(kSides, columns - k);
        double* const own = X + (k * size);
        for (std::size_t i = 0; i < size; ++i) {
            for (std::size_t m = 0; m < kSides; ++m) {
                rows[(i * kSides) + m] = m < sides ? own[(m * size) + i] : 0.0;
            }
        }
        for (std::size_t m = 0; m < sides; m += lanes()) {
            SolveSides(L, size, stride, rows + m);
        }
        for (std::size_t i = 0; i < size; ++i) {
            for (std::size_t m = 0; m < sides; ++m) {
                own[(m * size) + i] = rows[(i * kSides) + m];
            }
        }
    }
}

}  // namespace sluice::core::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sluice::core::kernels {

HWY_EXPORT(SolveWithRidge);

void solve_with_ridge(const double* A, std::size_t size, double ridge, double* X, std::size_t columns) {
    assert(size <= kMostRows);
    HWY_DYNAMIC_DISPATCH(SolveWithRidge)(A, size, ridge, X, columns);
}

}  // namespace sluice::core::kernels
#endif
