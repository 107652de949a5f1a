// series_kernels.cpp -- products of many series of the history at once.
//
//     out_cm = sum_t a_ct b_mt                                  eq. (16): C u at some inputs, from the scores of the rows
//     s_t    = sum_c a_ct u_c,   weight_t s_t                   the scores themselves
//
//   code    meaning
//   a       deviations of some inputs in the rows kept, one series each (history.cpp)
//   b       weighted scores of the components, the targets
//
// One dot product at a time is limited by loads, two for each multiplication. Here up to eight series meet up to three
// targets in registers: eleven loads for 24 multiplications. Measured with 64 series of 1,824 rows and three targets, in
// the second-level cache: 15 microseconds, one by one 37. Each sum has one accumulator, in order of t, whatever the
// number of series and targets.
//
//   kernel            read per row               written   serves
//   dots              8 (float: 4) per series    -         products with C at some inputs
//   weighted_scores   8 per series + 8           16        the scores of a component
#include "series_kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "series_kernels.cpp"
#include "simd_inl.hpp"  // compiles this file once for each set of vector instructions

HWY_BEFORE_NAMESPACE();
namespace sluice::core::kernels::HWY_NAMESPACE {

// The most series and targets of one pass: their sums stay in registers, of which AVX-512 and NEON have 32.
constexpr std::size_t kTargetsOfPass = 3;
constexpr std::size_t kSeriesOfPass = HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_SSE4 ? 4 : 8;

HWY_INLINE Vec LoadSeries(const double* from) {
    return hn::Load(Numbers(), from);
}
HWY_INLINE Vec LoadSeries(const float* from) {
    return hn::PromoteTo(Numbers(), hn::Load(hn::Rebind<float, Numbers>(), from));
}

template <std::size_t S, std::size_t T, typename Number>
void DotsPart(const Number* const* series, const double* const* target, std::size_t targets, const RingRows& rows,
              double* out) {
    const Numbers d;
    Vec sum[S * T];  // NOLINT(modernize-avoid-c-arrays)
#pragma GCC unroll 24
    for (std::size_t i = 0; i < S * T; ++i) {
        sum[i] = hn::Zero(d);
    }
    std::size_t t = rows.first;
    std::size_t last = rows.last;
    for (int stretch = 0; stretch < 2; ++stretch, t = 0, last = rows.wrapped) {
        for (; t < last; t += lanes()) {
            Vec b[T];  // NOLINT(modernize-avoid-c-arrays)
#pragma GCC unroll 3
            for (std::size_t m = 0; m < T; ++m) {
                b[m] = hn::Load(d, target[m] + t);
            }
#pragma GCC unroll 8
            for (std::size_t c = 0; c < S; ++c) {
                const Vec a = LoadSeries(series[c] + t);
#pragma GCC unroll 3
                for (std::size_t m = 0; m < T; ++m) {
                    sum[(c * T) + m] = hn::MulAdd(a, b[m], sum[(c * T) + m]);
                }
            }
        }
    }
#pragma GCC unroll 8
    for (std::size_t c = 0; c < S; ++c) {
#pragma GCC unroll 3
        for (std::size_t m = 0; m < T; ++m) {
            out[(c * targets) + m] = hn::GetLane(hn::SumOfLanes(d, sum[(c * T) + m]));
        }
    }
}

template <std::size_t T, typename Number>
void DotsOf(const Number* const* series, std::size_t count, const double* const* target, std::size_t targets,
            const RingRows& rows, double* out) {
    std::size_t c = 0;
    for (; c + kSeriesOfPass <= count; c += kSeriesOfPass) {
        DotsPart<kSeriesOfPass, T>(series + c, target, targets, rows, out + (c * targets));
    }
    const Number* const* rest = series + c;
    double* to = out + (c * targets);
    switch (count - c) {
        case 1:
            return DotsPart<1, T>(rest, target, targets, rows, to);
        case 2:
            return DotsPart<2, T>(rest, target, targets, rows, to);
        case 3:
            return DotsPart<3, T>(rest, target, targets, rows, to);
        case 4:
            return DotsPart<4, T>(rest, target, targets, rows, to);
        case 5:
            return DotsPart<5, T>(rest, target, targets, rows, to);
        case 6:
            return DotsPart<6, T>(rest, target, targets, rows, to);
        case 7:
            return DotsPart<7, T>(rest, target, targets, rows, to);
        default:
            return;
    }
}

template <typename Number>
void DotsAll(const Number* const* series, std::size_t count, const double* const* target, std::size_t targets,
             const RingRows& rows, double* out) {
    for (std::size_t m = 0; m < targets; m += kTargetsOfPass) {
        switch (targets - m) {
            case 1:
                DotsOf<1>(series, count, target + m, targets, rows, out + m);
                break;
            case 2:
                DotsOf<2>(series, count, target + m, targets, rows, out + m);
                break;
            default:
                DotsOf<3>(series, count, target + m, targets, rows, out + m);
                break;
        }
    }
}

void Dots(const double* const* series, std::size_t count, const double* const* target, std::size_t targets,
          const RingRows& rows, double* out) {
    DotsAll(series, count, target, targets, rows, out);
}

void DotsSingle(const float* const* series, std::size_t count, const double* const* target, std::size_t targets,
                const RingRows& rows, double* out) {
    DotsAll(series, count, target, targets, rows, out);
}

template <std::size_t V>
void ScoresPart(const double* const* series, std::size_t count, const double* coefficient, const double* weight,
                std::size_t t, double* scores, double* weighted) {
    const Numbers d;
    Vec sum[V];  // NOLINT(modernize-avoid-c-arrays)
#pragma GCC unroll 8
    for (std::size_t v = 0; v < V; ++v) {
        sum[v] = hn::Zero(d);
    }
    for (std::size_t c = 0; c < count; ++c) {
        const double* own = series[c] + t;
        const Vec factor = hn::Set(d, coefficient[c]);
#pragma GCC unroll 8
        for (std::size_t v = 0; v < V; ++v) {
            sum[v] = hn::MulAdd(hn::Load(d, own + (v * lanes())), factor, sum[v]);
        }
    }
#pragma GCC unroll 8
    for (std::size_t v = 0; v < V; ++v) {
        const std::size_t at = t + (v * lanes());
        hn::Store(sum[v], d, scores + at);
        hn::Store(hn::Mul(sum[v], hn::LoadU(d, weight + at)), d, weighted + at);
    }
}

// Eight vectors of rows at a time: of each series a piece of eight cache lines, which the processor fetches ahead.
void WeightedScores(const double* const* series, std::size_t count, const double* coefficient, const double* weight,
                    std::size_t first, std::size_t last, double* scores, double* weighted) {
    constexpr std::size_t kVectors = 8;
    std::size_t t = first;
    for (; t + (kVectors * lanes()) <= last; t += kVectors * lanes()) {
        ScoresPart<kVectors>(series, count, coefficient, weight, t, scores, weighted);
    }
    for (; t < last; t += lanes()) {
        ScoresPart<1>(series, count, coefficient, weight, t, scores, weighted);
    }
}

}  // namespace sluice::core::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sluice::core::kernels {

HWY_EXPORT(Dots);
HWY_EXPORT(DotsSingle);
HWY_EXPORT(WeightedScores);

void dots(const double* const* series, std::size_t count, const double* const* target, std::size_t targets,
          const RingRows& rows, double* out) {
    HWY_DYNAMIC_DISPATCH(Dots)(series, count, target, targets, rows, out);
}
void dots(const float* const* series, std::size_t count, const double* const* target, std::size_t targets,
          const RingRows& rows, double* out) {
    HWY_DYNAMIC_DISPATCH(DotsSingle)(series, count, target, targets, rows, out);
}
void weighted_scores(const double* const* series, std::size_t count, const double* coefficient, const double* weight,
                     std::size_t first, std::size_t last, double* scores, double* weighted) {
    HWY_DYNAMIC_DISPATCH(WeightedScores)(series, count, coefficient, weight, first, last, scores, weighted);
}

}  // namespace sluice::core::kernels
#endif  // HWY_ONCE
