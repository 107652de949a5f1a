// single_kernels.cpp -- the loops over columns of C in single precision (single_gram.cpp).
//
//   kernel           read per input             written         serves
//   to_single        16 bytes                   4               eq. (15) in single precision: the row
//   left_of_fit      4 per column + 8 q + 16    8               eq. (16) on what deflation leaves of M
//   single_product   4 per column + 8           8               eq. (16), C u
//
// Sums over columns are in single precision; M, what is left of it and the sums over inputs are in double precision.
#include "single_kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "single_kernels.cpp"
#include "simd_inl.hpp"  // compiles this file once for each set of vector instructions

HWY_BEFORE_NAMESPACE();
namespace sluice::core::kernels::HWY_NAMESPACE {

// As many numbers as a vector of double precision has, and whole vectors.
using Singles = hn::Rebind<float, Numbers>;
using WideSingles = hn::CappedTag<float, 16>;
using WideVec = hn::Vec<WideSingles>;
constexpr std::size_t kWide = hn::MaxLanes(WideSingles());

bool ToSingle(const double* h, const double* unit, double root, double most, std::size_t n, float* g) {
    const Numbers d;
    const Singles s;
    const std::size_t N = lanes();
    auto wrong = hn::Lt(hn::Zero(d), hn::Zero(d));
    for (std::size_t i = 0; i < n; i += N) {
        const Vec own = hn::Load(d, h + i);
        const Vec units = hn::Load(d, unit + i);
        const Vec scaled = hn::Mul(own, units);
        const auto unknown = hn::And(hn::Eq(units, hn::Zero(d)), hn::Ne(own, hn::Zero(d)));
        wrong = hn::Or(wrong, hn::Or(unknown, hn::Gt(hn::Abs(scaled), hn::Set(d, most))));
        hn::Store(hn::DemoteTo(s, hn::Mul(scaled, hn::Set(d, root))), s, g + i);
    }
    return hn::AllFalse(d, wrong);
}

// The most outputs of one pass over the columns: their sums stay in registers.
constexpr std::size_t kOutputs = 6;

// kWideVectors whole vectors at a time, so that each coefficient is used several times.
constexpr std::size_t kWideVectors = 2;

// T outputs, number k and those after it; along gains what they add. The columns are whole cache lines, M and along may be
// shorter.
template <std::size_t T>
double LeftPart(const LeftOfFit& fit, std::size_t k, std::size_t first, std::size_t last, double* along) {
    const Numbers d;
    const WideSingles wide;
    alignas(64) float sums[T][kWideVectors * kWide];  // NOLINT(modernize-avoid-c-arrays): of the inputs from i on
    Vec total = hn::Zero(d);
    for (std::size_t i = first; i < last; i += kWideVectors * kWide) {
        const std::size_t vectors = i + kWide < last ? kWideVectors : 1;
        WideVec sum[T][kWideVectors];  // NOLINT(modernize-avoid-c-arrays): a vector in std::array loses its alignment
        for (std::size_t m = 0; m < T; ++m) {
            for (std::size_t v = 0; v < kWideVectors; ++v) {
                sum[m][v] = hn::Zero(wide);
            }
        }
        for (std::size_t c = 0; c < fit.count; ++c) {
            const float* column = fit.columns[c] + i;
            WideVec own[kWideVectors];  // NOLINT(modernize-avoid-c-arrays)
            for (std::size_t v = 0; v < kWideVectors; ++v) {
                own[v] = hn::Load(wide, column + (v < vectors ? v * kWide : 0));
            }
            const float* factor = fit.coefficient + (c * fit.outputs) + k;
            for (std::size_t m = 0; m < T; ++m) {
                const WideVec by = hn::Set(wide, factor[m]);
                for (std::size_t v = 0; v < kWideVectors; ++v) {
                    sum[m][v] = hn::MulAdd(own[v], by, sum[m][v]);
                }
            }
        }
        for (std::size_t m = 0; m < T; ++m) {
            for (std::size_t v = 0; v < kWideVectors; ++v) {
                hn::Store(sum[m][v], wide, sums[m] + (v * kWide));
            }
        }
        const std::size_t end = i + (kWideVectors * kWide) < last ? i + (kWideVectors * kWide) : last;
        for (std::size_t at = i; at < end; at += lanes()) {
            const Vec back = hn::Mul(hn::Load(d, fit.inverse + at), hn::Set(d, fit.back));
            Vec own_along = k == 0 ? hn::Zero(d) : hn::Load(d, along + at);
            Vec square = hn::Zero(d);
            for (std::size_t m = 0; m < T; ++m) {
                const Vec explained = hn::Mul(hn::PromoteTo(d, hn::Load(Singles(), sums[m] + (at - i))), back);
                const Vec left =
                    hn::MulSub(hn::Load(d, fit.M + ((k + m) * fit.stride) + at), hn::Set(d, fit.e[k + m]), explained);
                own_along = hn::MulAdd(left, hn::Set(d, fit.g[k + m]), own_along);
                square = hn::MulAdd(left, left, square);
            }
            total = hn::MulAdd(hn::Load(d, fit.w + at), square, total);
            hn::Store(own_along, d, along + at);
        }
    }
    return hn::GetLane(hn::SumOfLanes(d, total));
}

double RunLeftOfFit(const LeftOfFit& fit, std::size_t first, std::size_t last, double* along) {
    double total = 0.0;
    for (std::size_t k = 0; k < fit.outputs; k += kOutputs) {
        switch (fit.outputs - k) {
            case 1:
                total += LeftPart<1>(fit, k, first, last, along);
                break;
            case 2:
                total += LeftPart<2>(fit, k, first, last, along);
                break;
            case 3:
                total += LeftPart<3>(fit, k, first, last, along);
                break;
            case 4:
                total += LeftPart<4>(fit, k, first, last, along);
                break;
            case 5:
                total += LeftPart<5>(fit, k, first, last, along);
                break;
            default:
                total += LeftPart<kOutputs>(fit, k, first, last, along);
                break;
        }
    }
    return total;
}

void SingleProduct(const float* const* columns, std::size_t count, const float* coefficient, const double* inverse,
                   double back, std::size_t first, std::size_t last, double* out) {
    const Numbers d;
    const WideSingles wide;
    alignas(64) float sums[kWide];  // NOLINT(modernize-avoid-c-arrays)
    for (std::size_t i = first; i < last; i += kWide) {
        WideVec sum = hn::Zero(wide);
        for (std::size_t c = 0; c < count; ++c) {
            sum = hn::MulAdd(hn::Load(wide, columns[c] + i), hn::Set(wide, coefficient[c]), sum);
        }
        hn::Store(sum, wide, sums);
        for (std::size_t at = i; at < i + kWide && at < last; at += lanes()) {
            const Vec own = hn::PromoteTo(d, hn::Load(Singles(), sums + (at - i)));
            hn::Store(hn::Mul(own, hn::Mul(hn::Set(d, back), hn::Load(d, inverse + at))), d, out + at);
        }
    }
}

}  // namespace sluice::core::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sluice::core::kernels {

HWY_EXPORT(ToSingle);
HWY_EXPORT(RunLeftOfFit);
HWY_EXPORT(SingleProduct);

bool to_single(const double* h, const double* unit, double root, double most, std::size_t n, float* g) {
    return HWY_DYNAMIC_DISPATCH(ToSingle)(h, unit, root, most, n, g);
}
double left_of_fit(const LeftOfFit& fit, std::size_t first, std::size_t last, double* along) {
    return HWY_DYNAMIC_DISPATCH(RunLeftOfFit)(fit, first, last, along);
}
void single_product(const float* const* columns, std::size_t count, const float* coefficient, const double* inverse,
                    double back, std::size_t first, std::size_t last, double* out) {
    HWY_DYNAMIC_DISPATCH(SingleProduct)(columns, count, coefficient, inverse, back, first, last, out);
}

}  // namespace sluice::core::kernels
#endif  // HWY_ONCE
