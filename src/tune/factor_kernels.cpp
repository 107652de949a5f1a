// factor_kernels.cpp -- the factors of a memory, for each set of vector instructions.
#include "factor_kernels.hpp"

#include <cstddef>
#include <span>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "factor_kernels.cpp"
#include "simd_inl.hpp"  // compiles this file once for each set of vector instructions

HWY_BEFORE_NAMESPACE();
namespace sluice::tune::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Four = hn::CappedTag<double, 4>;

using Fours = hn::Vec<Four>;
constexpr std::size_t kAtOnce = 6;  // rows

HWY_INLINE Fours InverseRoot(Fours pivot, Fours ridge) {
    const Four d;
    // In exact arithmetic a pivot is at least the ridge.
    return hn::Div(hn::Set(d, 1.0), hn::Sqrt(hn::Max(pivot, hn::Mul(ridge, hn::Set(d, 0.5)))));
}

// Entries (i, j) of kRows rows, i the first of them: their sums do not wait for each other. On the diagonal of a row is what is left
// of its pivot; rows from `size` on have none.
template <std::size_t kRows>
HWY_INLINE void Entries(const double* A, std::size_t size, std::size_t i, std::size_t j, Fours inverse, double* L) {
    const Four d;
    const double* row_j = L + (j * kFactorRow);
    double* row = L + (i * kFactorRow);
    Fours sum[kRows];  // NOLINT(modernize-avoid-c-arrays): in std::array a vector loses its alignment
    for (std::size_t n = 0; n < kRows; ++n) {
        sum[n] = hn::Set(d, A[((i + n) * size) + j]);
    }
    for (std::size_t m = 0; m < 4 * j; m += 4) {
        const auto entry = hn::LoadU(d, row_j + m);
        for (std::size_t n = 0; n < kRows; ++n) {
            sum[n] = hn::Sub(sum[n], hn::Mul(hn::LoadU(d, row + (n * kFactorRow) + m), entry));
        }
    }
    for (std::size_t n = 0; n < kRows; ++n) {
        const auto entry = hn::Mul(sum[n], inverse);
        hn::StoreU(entry, d, row + (n * kFactorRow) + (4 * j));
        double* pivot = row + (n * (kFactorRow + 4)) + (4 * i);
        if (i + n < size) {
            hn::StoreU(hn::Sub(hn::LoadU(d, pivot), hn::Mul(entry, entry)), d, pivot);
        }
    }
}

// Column by column. The root of the next pivot, which takes long, is begun as soon as the pivot is known: after the first rows.
void FactorFour(const double* A, std::size_t size, std::size_t more, const double* ridges, double* factors) {
    const Four d;
    const std::size_t lanes = hn::Lanes(d);
    const std::size_t end = size + more;
    for (std::size_t r = 0; r < 4 && size > 0; r += lanes) {
        double* L = factors + r;
        const auto ridge = hn::LoadU(d, ridges + r);
        for (std::size_t i = 0; i < size; ++i) {
            hn::StoreU(hn::Add(hn::Set(d, A[(i * size) + i]), ridge), d, L + (i * (kFactorRow + 4)));
        }
        auto inverse = InverseRoot(hn::LoadU(d, L), ridge);
        for (std::size_t j = 0; j < size; ++j) {
            const auto now = inverse;
            hn::StoreU(now, d, L + (j * (kFactorRow + 4)));
            std::size_t i = j + 1;
            switch ((end - i) % kAtOnce) {
                case 1:
                    Entries<1>(A, size, i, j, now, L);
                    i += 1;
                    break;
                case 2:
                    Entries<2>(A, size, i, j, now, L);
                    i += 2;
                    break;
                case 3:
                    Entries<3>(A, size, i, j, now, L);
                    i += 3;
                    break;
                case 4:
                    Entries<4>(A, size, i, j, now, L);
                    i += 4;
                    break;
                case 5:
                    Entries<5>(A, size, i, j, now, L);
                    i += 5;
                    break;
                default:
                    if (i < end) {
                        Entries<kAtOnce>(A, size, i, j, now, L);
                        i += kAtOnce;
                    }
                    break;
            }
            if (j + 1 < size) {
                inverse = InverseRoot(hn::LoadU(d, L + ((j + 1) * (kFactorRow + 4))), ridge);
            }
            for (; i < end; i += kAtOnce) {
                Entries<kAtOnce>(A, size, i, j, now, L);
            }
        }
    }
}

// Column by column, the next number first: the others do not hold it up.
void ForwardFour(const double* L, std::size_t size, double* x) {
    const Four d;
    const std::size_t lanes = hn::Lanes(d);
    for (std::size_t r = 0; r < 4 && size > 0; r += lanes) {
        const auto less = [&](std::size_t i, std::size_t j, Fours value) {
            return hn::Sub(hn::LoadU(d, x + (4 * i) + r),
                           hn::Mul(hn::LoadU(d, L + (i * kFactorRow) + (4 * j) + r), value));
        };
        auto value = hn::Mul(hn::LoadU(d, x + r), hn::LoadU(d, L + r));
        for (std::size_t j = 0; j < size; ++j) {
            hn::StoreU(value, d, x + (4 * j) + r);
            const auto now = value;
            if (j + 1 < size) {
                value = hn::Mul(less(j + 1, j, now), hn::LoadU(d, L + ((j + 1) * (kFactorRow + 4)) + r));
            }
            for (std::size_t i = j + 2; i < size; ++i) {
                hn::StoreU(less(i, j, now), d, x + (4 * i) + r);
            }
        }
    }
}

void PredictFour(const double* v, const double* z, std::size_t size, std::span<const std::size_t> sizes,
                 const PathOutput& output, double* out) {
    const Four d;
    const std::size_t lanes = hn::Lanes(d);
    const auto mean = hn::Set(d, output.mean);
    const auto unit = hn::Set(d, output.unit);
    const auto scale = hn::Set(d, output.scale);
    const auto most = hn::Set(d, output.most);
    const auto least = hn::Set(d, -output.most);
    const auto low = hn::Set(d, output.low);
    const auto high = hn::Set(d, output.high);
    const bool has_unit = output.unit > 0.0;
    const bool has_bounds = output.low < output.high;
    for (std::size_t r = 0; r < 4; r += lanes) {
        auto sum = hn::Zero(d);
        auto value = hn::Zero(d);
        std::size_t i = 0;
        for (std::size_t s = 0; s < sizes.size(); ++s) {
            const std::size_t end = sizes[s] < size ? sizes[s] : size;
            if (s == 0 || i < end) {  // else as before
                for (; i < end; ++i) {
                    sum = hn::Add(sum, hn::Mul(hn::LoadU(d, v + (4 * i) + r), hn::LoadU(d, z + (4 * i) + r)));
                }
                value = hn::Mul(hn::Add(mean, has_unit ? hn::Div(sum, unit) : hn::Zero(d)), scale);
                value = hn::IfThenElse(hn::Lt(value, most), value, most);
                value = hn::IfThenElse(hn::Lt(least, value), value, least);
                if (has_bounds) {
                    value = hn::IfThenElse(hn::Lt(value, low), low, hn::IfThenElse(hn::Lt(high, value), high, value));
                }
            }
            hn::StoreU(value, d, out + (4 * s) + r);
        }
    }
}

}  // namespace sluice::tune::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sluice::tune::kernels {

HWY_EXPORT(FactorFour);
HWY_EXPORT(ForwardFour);
HWY_EXPORT(PredictFour);

void factor_four(const double* A, std::size_t size, std::size_t more, const double* ridges, double* L) {
    HWY_DYNAMIC_DISPATCH(FactorFour)(A, size, more, ridges, L);
}
void forward_four(const double* L, std::size_t size, double* x) {
    HWY_DYNAMIC_DISPATCH(ForwardFour)(L, size, x);
}

void predict_four(const double* v, const double* z, std::size_t size, std::span<const std::size_t> sizes,
                  const PathOutput& output, double* out) {
    HWY_DYNAMIC_DISPATCH(PredictFour)(v, z, size, sizes, output, out);
}

}  // namespace sluice::tune::kernels
#endif
