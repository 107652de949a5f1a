// single_kernels.cpp -- the loops over columns of C in single precision (single_gram.cpp).
//
//   kernel           read per input         written         serves
//   to_single        16 bytes               4               eq. (15) in single precision: the row; M of a row
//   left_of_fit      4 per column + 4 q + 4 4               eq. (16) on what deflation leaves of M
//   entries_from     4                      4 per hit       the entries that may exceed the threshold
//
// Sums are in single precision but for the sum of squares over the inputs.
#include "single_kernels.hpp"

#include <array>
#include <bit>

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

float ScaledToSingle(const double* a, const double* b, double factor, std::size_t n, float* out) {
    const Numbers d;
    const Singles s;
    auto largest = hn::Zero(s);
    for (std::size_t i = 0; i < n; i += lanes()) {
        const Vec scaled = hn::Mul(hn::Load(d, a + i), hn::Set(d, factor));
        const auto own = hn::DemoteTo(s, b == nullptr ? scaled : hn::Mul(scaled, hn::Load(d, b + i)));
        largest = hn::Max(largest, hn::Abs(own));
        hn::Store(own, s, out + i);
    }
    return hn::GetLane(hn::MaxOfLanes(s, largest));
}

// The most outputs of one pass over the columns: their sums stay in registers.
constexpr std::size_t kOutputs = 6;

// kWideVectors whole vectors at a time, so that each coefficient is used several times.
constexpr std::size_t kWideVectors = 2;

// T outputs, number k and those after it; along gains what they add.
template <std::size_t T>
Left LeftPart(const LeftOfFit& fit, std::size_t k, std::size_t first, std::size_t last, float* along) {
    const Numbers d;
    const WideSingles wide;
    alignas(64) float squares[kWide];  // NOLINT(modernize-avoid-c-arrays)
    Vec total = hn::Zero(d);
    WideVec largest = hn::Zero(wide);
    const WideVec factor = hn::Set(wide, fit.factor);
    for (std::size_t i = first; i < last; i += kWideVectors * kWide) {
        WideVec sum[T][kWideVectors];  // NOLINT(modernize-avoid-c-arrays): a vector in std::array loses its alignment
        for (std::size_t m = 0; m < T; ++m) {
            for (std::size_t v = 0; v < kWideVectors; ++v) {
                sum[m][v] = hn::Zero(wide);
            }
        }
        const std::size_t vectors = i + kWide < last ? kWideVectors : 1;
        for (std::size_t c = 0; c < fit.count; ++c) {
            const float* column = fit.columns[c] + i;
            WideVec own[kWideVectors];  // NOLINT(modernize-avoid-c-arrays)
            for (std::size_t v = 0; v < kWideVectors; ++v) {
                own[v] = hn::Load(wide, column + (v < vectors ? v * kWide : 0));
            }
            const float* coefficient = fit.coefficient + (c * fit.outputs) + k;
            for (std::size_t m = 0; m < T; ++m) {
                const WideVec by = hn::Set(wide, coefficient[m]);
                for (std::size_t v = 0; v < kWideVectors; ++v) {
                    sum[m][v] = hn::MulAdd(own[v], by, sum[m][v]);
                }
            }
        }
        for (std::size_t v = 0; v < kWideVectors; ++v) {
            if (v == vectors) {
                break;
            }
            const std::size_t at = i + (v * kWide);
            const WideVec z = hn::Mul(hn::Load(wide, fit.z + at), factor);
            WideVec own_along = k == 0 ? hn::Zero(wide) : hn::Load(wide, along + at);
            WideVec square = hn::Zero(wide);
            for (std::size_t m = 0; m < T; ++m) {
                const WideVec left = hn::NegMulAdd(sum[m][v], z, hn::Load(wide, fit.M + ((k + m) * fit.stride) + at));
                own_along = hn::MulAdd(left, hn::Set(wide, fit.g[k + m]), own_along);
                square = hn::MulAdd(left, left, square);
            }
            largest = hn::Max(largest, hn::Abs(own_along));
            hn::Store(own_along, wide, along + at);
            hn::Store(square, wide, squares);
            for (std::size_t part = 0; part < kWide; part += lanes()) {
                total = hn::Add(total, hn::PromoteTo(d, hn::Load(Singles(), squares + part)));
            }
        }
    }
    return {.square = hn::GetLane(hn::SumOfLanes(d, total)), .largest = hn::GetLane(hn::MaxOfLanes(wide, largest))};
}

Left RunLeftOfFit(const LeftOfFit& fit, std::size_t first, std::size_t last, float* along) {
    Left all{.square = 0.0, .largest = 0.0F};
    const auto add = [&](const Left& part) {
        all.square += part.square;
        all.largest = part.largest;  // of the last part: along is complete
    };
    for (std::size_t k = 0; k < fit.outputs; k += kOutputs) {
        switch (fit.outputs - k) {
            case 1:
                add(LeftPart<1>(fit, k, first, last, along));
                break;
            case 2:
                add(LeftPart<2>(fit, k, first, last, along));
                break;
            case 3:
                add(LeftPart<3>(fit, k, first, last, along));
                break;
            case 4:
                add(LeftPart<4>(fit, k, first, last, along));
                break;
            case 5:
                add(LeftPart<5>(fit, k, first, last, along));
                break;
            default:
                add(LeftPart<kOutputs>(fit, k, first, last, along));
                break;
        }
    }
    return all;
}

std::size_t SingleEntriesFrom(const float* a, float least, std::size_t n, std::uint32_t* hits) {
    const WideSingles wide;
    const WideVec bound = hn::Set(wide, least);
    std::size_t count = 0;
    for (std::size_t first = 0; first < n; first += 16) {
        std::uint32_t bits = 0;
        for (std::size_t i = 0; i < 16; i += kWide) {
            alignas(8) std::array<std::uint8_t, 8> bytes{};
            hn::StoreMaskBits(wide, hn::Ge(hn::Abs(hn::Load(wide, a + first + i)), bound), bytes.data());
            bits |= (std::uint32_t{bytes[0]} | (std::uint32_t{bytes[1]} << 8U)) << i;
        }
        for (; bits != 0; bits &= bits - 1U) {
            hits[count++] = static_cast<std::uint32_t>(first) + static_cast<std::uint32_t>(std::countr_zero(bits));
        }
    }
    return count;
}

}  // namespace sluice::core::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sluice::core::kernels {

HWY_EXPORT(ToSingle);
HWY_EXPORT(ScaledToSingle);
HWY_EXPORT(RunLeftOfFit);
HWY_EXPORT(SingleEntriesFrom);

bool to_single(const double* h, const double* unit, double root, double most, std::size_t n, float* g) {
    return HWY_DYNAMIC_DISPATCH(ToSingle)(h, unit, root, most, n, g);
}
float to_single(const double* a, const double* b, double factor, std::size_t n, float* out) {
    return HWY_DYNAMIC_DISPATCH(ScaledToSingle)(a, b, factor, n, out);
}
Left left_of_fit(const LeftOfFit& fit, std::size_t first, std::size_t last, float* along) {
    return HWY_DYNAMIC_DISPATCH(RunLeftOfFit)(fit, first, last, along);
}
std::size_t entries_from(const float* a, float least, std::size_t n, std::uint32_t* hits) {
    return HWY_DYNAMIC_DISPATCH(SingleEntriesFrom)(a, least, n, hits);
}

}  // namespace sluice::core::kernels
#endif  // HWY_ONCE
