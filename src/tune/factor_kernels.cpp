// factor_kernels.cpp -- the factors of a memory, for each set of vector instructions.
#include "factor_kernels.hpp"

#include <cstddef>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "factor_kernels.cpp"
#include "simd_inl.hpp"  // compiles this file once for each set of vector instructions

HWY_BEFORE_NAMESPACE();
namespace sluice::tune::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Four = hn::CappedTag<double, 4>;

// Column by column, four rows at a time: their sums do not wait for each other.
void FactorFour(const double* A, std::size_t size, const double* ridges, double* L) {
    const Four d;
    const std::size_t lanes = hn::Lanes(d);
    for (std::size_t r = 0; r < 4; r += lanes) {
        const auto ridge = hn::LoadU(d, ridges + r);
        for (std::size_t j = 0; j < size; ++j) {
            const double* row_j = L + (4 * j * size) + r;
            auto pivot = hn::Add(hn::Set(d, A[(j * size) + j]), ridge);
            for (std::size_t m = 0; m < j; ++m) {
                const auto entry = hn::LoadU(d, row_j + (4 * m));
                pivot = hn::Sub(pivot, hn::Mul(entry, entry));
            }
            // In exact arithmetic a pivot is at least the ridge.
            pivot = hn::Max(pivot, hn::Mul(ridge, hn::Set(d, 0.5)));
            const auto inverse = hn::Div(hn::Set(d, 1.0), hn::Sqrt(pivot));
            hn::StoreU(inverse, d, L + (4 * ((j * size) + j)) + r);
            std::size_t i = j + 1;
            for (; i + 4 <= size; i += 4) {
                double* row = L + (4 * i * size) + r;
                const std::size_t next = 4 * size;
                auto a = hn::Set(d, A[(i * size) + j]);
                auto b = hn::Set(d, A[((i + 1) * size) + j]);
                auto c = hn::Set(d, A[((i + 2) * size) + j]);
                auto e = hn::Set(d, A[((i + 3) * size) + j]);
                for (std::size_t m = 0; m < j; ++m) {
                    const auto entry = hn::LoadU(d, row_j + (4 * m));
                    a = hn::Sub(a, hn::Mul(hn::LoadU(d, row + (4 * m)), entry));
                    b = hn::Sub(b, hn::Mul(hn::LoadU(d, row + next + (4 * m)), entry));
                    c = hn::Sub(c, hn::Mul(hn::LoadU(d, row + (2 * next) + (4 * m)), entry));
                    e = hn::Sub(e, hn::Mul(hn::LoadU(d, row + (3 * next) + (4 * m)), entry));
                }
                hn::StoreU(hn::Mul(a, inverse), d, row + (4 * j));
                hn::StoreU(hn::Mul(b, inverse), d, row + next + (4 * j));
                hn::StoreU(hn::Mul(c, inverse), d, row + (2 * next) + (4 * j));
                hn::StoreU(hn::Mul(e, inverse), d, row + (3 * next) + (4 * j));
            }
            for (; i < size; ++i) {
                double* row = L + (4 * i * size) + r;
                auto a = hn::Set(d, A[(i * size) + j]);
                for (std::size_t m = 0; m < j; ++m) {
                    a = hn::Sub(a, hn::Mul(hn::LoadU(d, row + (4 * m)), hn::LoadU(d, row_j + (4 * m))));
                }
                hn::StoreU(hn::Mul(a, inverse), d, row + (4 * j));
            }
        }
    }
}

void ForwardFour(const double* L, std::size_t size, double* x) {
    const Four d;
    const std::size_t lanes = hn::Lanes(d);
    for (std::size_t r = 0; r < 4; r += lanes) {
        for (std::size_t j = 0; j < size; ++j) {
            const auto value = hn::Mul(hn::LoadU(d, x + (4 * j) + r), hn::LoadU(d, L + (4 * ((j * size) + j)) + r));
            hn::StoreU(value, d, x + (4 * j) + r);
            for (std::size_t i = j + 1; i < size; ++i) {
                const auto before = hn::LoadU(d, x + (4 * i) + r);
                hn::StoreU(hn::Sub(before, hn::Mul(hn::LoadU(d, L + (4 * ((i * size) + j)) + r), value)), d,
                           x + (4 * i) + r);
            }
        }
    }
}

}  // namespace sluice::tune::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sluice::tune::kernels {

HWY_EXPORT(FactorFour);
HWY_EXPORT(ForwardFour);

void factor_four(const double* A, std::size_t size, const double* ridges, double* L) {
    HWY_DYNAMIC_DISPATCH(FactorFour)(A, size, ridges, L);
}
void forward_four(const double* L, std::size_t size, double* x) {
    HWY_DYNAMIC_DISPATCH(ForwardFour)(L, size, x);
}

}  // namespace sluice::tune::kernels
#endif
