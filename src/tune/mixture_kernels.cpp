// mixture_kernels.cpp -- the loops of mixture.cpp over all readings, for each set of vector instructions.
#include "mixture_kernels.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "mixture_kernels.cpp"
#include "simd_inl.hpp"  // compiles this file once for each set of vector instructions
// After the above.
#include <hwy/contrib/math/math-inl.h>

HWY_BEFORE_NAMESPACE();
namespace sluice::tune::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using core::kernels::HWY_NAMESPACE::Numbers;
using core::kernels::HWY_NAMESPACE::Vec;

// To the nearest number whose lowest bits are 0.
HWY_INLINE Vec Rounded(Vec value) {
    const hn::RebindToUnsigned<Numbers> bits;
    const auto half = hn::Set(bits, std::uint64_t{1} << (kUnusedBits - 1));
    const auto used = hn::Set(bits, ~((std::uint64_t{1} << kUnusedBits) - 1));
    return hn::BitCast(Numbers(), hn::And(hn::Add(hn::BitCast(bits, value), half), used));
}

void Score(const double* base, const Rows& given, const Scored& how,
           const std::array<double*, kDiscounts.size()>& sums_of, double* squares, double* bias) {
    const Numbers d;
    const Rows rows = given;
    const std::array<double*, kDiscounts.size()> errors = sums_of;
    const Vec y = hn::Set(d, how.y);
    const Vec step = hn::Set(d, how.step);
    const Vec tail = hn::Set(d, how.tail);
    const bool bounded = how.tail > 0.0;
    const Vec inverse = hn::Set(d, bounded ? 1.0 / how.tail : 0.0);
    for (std::size_t row = 0; row < rows.count; ++row) {
        const std::size_t end = (row * rows.stride) + rows.columns;
        for (std::size_t i = row * rows.stride; i < end; i += hn::Lanes(d)) {
            const Vec before = hn::LoadU(d, bias + i);
            const Vec e = hn::Sub(hn::Sub(y, hn::LoadU(d, base + i)), before);
            const Vec square = hn::Mul(e, e);
            const Vec loss = bounded ? hn::Mul(tail, hn::Log1p(d, hn::Mul(square, inverse))) : square;
            for (std::size_t c = 0; c < kDiscounts.size(); ++c) {
                const Vec sum = hn::LoadU(d, errors[c] + i);
                hn::StoreU(Rounded(hn::Add(hn::Mul(sum, hn::Set(d, kDiscounts[c])), loss)), d, errors[c] + i);
            }
            hn::StoreU(Rounded(hn::Add(hn::LoadU(d, squares + i), square)), d, squares + i);
            hn::StoreU(Rounded(hn::Add(before, hn::Mul(step, e))), d, bias + i);
        }
        for (std::size_t i = end; i < end + rows.copies; ++i) {
            for (double* sums : errors) {
                sums[i] = sums[end - 1];
            }
            squares[i] = squares[end - 1];
            bias[i] = bias[end - 1];
        }
    }
}

void Lower(const double* errors, const Speeds& speeds, const Rows& given, bool begins, double* least) {
    const Numbers d;
    const Rows rows = given;
    for (std::size_t s = 0; s < rows.columns; s += hn::Lanes(d)) {
        Vec low = begins ? hn::Set(d, std::numeric_limits<double>::max()) : hn::LoadU(d, least + s);
        for (std::size_t g = 0; g < speeds.count; ++g) {
            const double* of_speed = errors + (g * speeds.apart) + s;
            for (std::size_t i = 0; i < rows.count * rows.stride; i += rows.stride) {
                low = hn::Min(low, hn::LoadU(d, of_speed + i));
            }
        }
        hn::StoreU(low, d, least + s);
    }
    for (std::size_t s = rows.columns; s < rows.columns + rows.copies; ++s) {
        least[s] = least[rows.columns - 1];
    }
}

// One or two speeds: their sums by size stay in registers.
template <std::size_t kSpeedsAtOnce>
void AddExponentials(const Speed* given, const Rows& of_rows, const double* least, double rate, bool begins,
                     double* w) {
    const Numbers d;
    const Rows rows = of_rows;
    Speed speeds[kSpeedsAtOnce];  // NOLINT(modernize-avoid-c-arrays)
    std::copy_n(given, kSpeedsAtOnce, speeds);
    const Vec negative = hn::Set(d, -rate);
    const Vec negligible = hn::Set(d, kNegligible);
    for (std::size_t s = 0; s < rows.columns; s += hn::Lanes(d)) {
        const Vec low = hn::LoadU(d, least + s);
        Vec sum[kSpeedsAtOnce];    // NOLINT(modernize-avoid-c-arrays): in std::array a vector loses its alignment
        Vec along[kSpeedsAtOnce];  // NOLINT(modernize-avoid-c-arrays)
        for (std::size_t g = 0; g < kSpeedsAtOnce; ++g) {
            sum[g] = begins ? hn::Zero(d) : hn::LoadU(d, speeds[g].sums + s);
            along[g] = begins ? hn::Zero(d) : hn::LoadU(d, speeds[g].drift + s);
        }
        for (std::size_t row = 0; row < rows.count; ++row) {
            const std::size_t i = (row * rows.stride) + s;
            Vec both = hn::Zero(d);
            for (std::size_t g = 0; g < kSpeedsAtOnce; ++g) {
                const Vec x = hn::Mul(hn::Sub(hn::LoadU(d, speeds[g].errors + i), low), negative);
                const auto counts = hn::Ge(x, negligible);
                if (hn::AllFalse(d, counts)) {
                    continue;
                }
                const Vec weight = hn::IfThenElseZero(counts, hn::Exp(d, hn::Max(x, negligible)));
                sum[g] = hn::Add(sum[g], weight);
                along[g] = hn::Add(along[g], hn::Mul(weight, hn::LoadU(d, speeds[g].bias + i)));
                both = hn::Add(both, weight);
            }
            hn::StoreU(both, d, w + i);
        }
        for (std::size_t g = 0; g < kSpeedsAtOnce; ++g) {
            hn::StoreU(sum[g], d, speeds[g].sums + s);
            hn::StoreU(along[g], d, speeds[g].drift + s);
        }
    }
    const std::size_t last = rows.columns - 1;
    for (std::size_t s = rows.columns; s < rows.columns + rows.copies; ++s) {
        for (std::size_t g = 0; g < kSpeedsAtOnce; ++g) {
            speeds[g].sums[s] = speeds[g].sums[last];
            speeds[g].drift[s] = speeds[g].drift[last];
        }
        for (std::size_t row = 0; row < rows.count; ++row) {
            w[(row * rows.stride) + s] = w[(row * rows.stride) + last];
        }
    }
}

void Exponentials(const Speed* speeds, std::size_t count, const Rows& rows, const double* least, double rate,
                  bool begins, double* w) {
    if (count == 1) {
        AddExponentials<1>(speeds, rows, least, rate, begins, w);
    } else {
        AddExponentials<2>(speeds, rows, least, rate, begins, w);
    }
}

void Factors(const double* least, double lowest, double rate, std::size_t count, std::size_t n, double* factor) {
    const Numbers d;
    const Vec bound = hn::Set(d, -700.0);
    for (std::size_t s = 0; s < n; s += hn::Lanes(d)) {
        const Vec x = hn::Mul(hn::Sub(hn::LoadU(d, least + s), hn::Set(d, lowest)), hn::Set(d, -rate));
        const auto first = hn::Lt(hn::Iota(d, static_cast<double>(s)), hn::Set(d, static_cast<double>(count)));
        hn::StoreU(hn::IfThenElseZero(hn::And(first, hn::Gt(x, bound)), hn::Exp(d, hn::Max(x, bound))), d, factor + s);
    }
}

double LeastOf(const double* numbers, std::size_t count) {
    const Numbers d;
    const Vec most = hn::Set(d, std::numeric_limits<double>::max());
    Vec least = most;
    for (std::size_t s = 0; s < count; s += hn::Lanes(d)) {
        const auto first = hn::Lt(hn::Iota(d, static_cast<double>(s)), hn::Set(d, static_cast<double>(count)));
        least = hn::Min(least, hn::IfThenElse(first, hn::LoadU(d, numbers + s), most));
    }
    return hn::GetLane(hn::MinOfLanes(d, least));
}

void Divide(double* factor, double by, std::size_t n) {
    const Numbers d;
    for (std::size_t s = 0; s < n; s += hn::Lanes(d)) {
        hn::StoreU(hn::Div(hn::LoadU(d, factor + s), hn::Set(d, by)), d, factor + s);
    }
}

void Judge(const SlowSums& sums, const SlowSums& drift, double share, std::size_t count, double* judged,
           double* offset) {
    const Numbers d;
    const Vec zero = hn::Zero(d);
    for (std::size_t s = 0; s < count; s += hn::Lanes(d)) {
        Vec sum = hn::LoadU(d, sums.first + s);
        Vec along = hn::LoadU(d, drift.first + s);
        if (sums.second != nullptr) {
            sum = hn::Add(sum, hn::LoadU(d, sums.second + s));
            along = hn::Add(along, hn::LoadU(d, drift.second + s));
        }
        const auto first = hn::Lt(hn::Iota(d, static_cast<double>(s)), hn::Set(d, static_cast<double>(count)));
        const auto positive = hn::And(first, hn::Gt(sum, zero));
        const Vec value = hn::IfThenElseZero(positive, hn::Div(hn::Set(d, share), sum));
        hn::StoreU(value, d, judged + s);
        const Vec drifts = hn::IfThenElseZero(first, along);
        hn::StoreU(hn::Add(hn::LoadU(d, offset + s), hn::Mul(value, drifts)), d, offset + s);
    }
}

// w slow_s + w' fast_s for each reading: gives it to `use`, and the sum of each row to sums.
template <typename F>
HWY_INLINE void ForEachWeight(const Weights w, const Rows rows, const Weights norm, double* sums, const F& use) {
    const Numbers d;
    for (std::size_t row = 0; row < rows.count; ++row) {
        Vec sum = hn::Zero(d);
        for (std::size_t s = 0; s < rows.columns; s += hn::Lanes(d)) {
            const std::size_t i = (row * rows.stride) + s;
            const Vec slow = hn::LoadU(d, w.slow + i);
            const Vec value = hn::Add(hn::Mul(slow, hn::LoadU(d, norm.slow + s)),
                                      hn::Mul(hn::LoadU(d, w.fast + i), hn::LoadU(d, norm.fast + s)));
            sum = hn::Add(sum, value);
            use(i, s, slow, value);
        }
        sums[row] = hn::GetLane(hn::SumOfLanes(d, sum));
    }
}

void ShareOut(const Weights& w, const Rows& rows, const Weights& norm, const double* norm_judged, double* judged,
              double* sums) {
    const Numbers d;
    ForEachWeight(w, rows, norm, sums, [=](std::size_t i, std::size_t s, Vec slow, Vec /*value*/) {
        hn::StoreU(hn::Add(hn::LoadU(d, judged + i), hn::Mul(slow, hn::LoadU(d, norm_judged + s))), d, judged + i);
    });
}

void Combine(const Weights& w, const Rows& rows, const Weights& norm, double share, double* out, double* total,
             double* sums) {
    const Numbers d;
    ForEachWeight(w, rows, norm, sums, [=](std::size_t i, std::size_t /*s*/, Vec /*slow*/, Vec value) {
        hn::StoreU(value, d, out + i);
        hn::StoreU(hn::Add(hn::LoadU(d, total + i), hn::Mul(hn::Set(d, share), value)), d, total + i);
    });
}

std::size_t FirstLeast(const double* numbers, const Rows& given) {
    const Numbers d;
    const Rows rows = given;
    const Vec most = hn::Set(d, std::numeric_limits<double>::max());
    const Vec columns = hn::Set(d, static_cast<double>(rows.columns));
    Vec low = most;
    for (std::size_t row = 0; row < rows.count; ++row) {
        for (std::size_t s = 0; s < rows.columns; s += hn::Lanes(d)) {
            const auto there = hn::Lt(hn::Iota(d, static_cast<double>(s)), columns);
            low = hn::Min(low, hn::IfThenElse(there, hn::LoadU(d, numbers + (row * rows.stride) + s), most));
        }
    }
    const Vec least = hn::MinOfLanes(d, low);
    for (std::size_t row = 0; row < rows.count; ++row) {
        for (std::size_t s = 0; s < rows.columns; s += hn::Lanes(d)) {
            const auto there = hn::Lt(hn::Iota(d, static_cast<double>(s)), columns);
            const auto found = hn::And(there, hn::Eq(hn::LoadU(d, numbers + (row * rows.stride) + s), least));
            if (!hn::AllFalse(d, found)) {
                return (row * rows.stride) + s + static_cast<std::size_t>(hn::FindFirstTrue(d, found));
            }
        }
    }
    return 0;
}

void AddProducts(const double* a, const double* b, const Rows& given, double* sums) {
    const Numbers d;
    const Rows rows = given;
    for (std::size_t s = 0; s < rows.columns; s += hn::Lanes(d)) {
        Vec sum = hn::LoadU(d, sums + s);
        for (std::size_t i = s; i < rows.count * rows.stride; i += rows.stride) {
            sum = hn::Add(sum, hn::Mul(hn::LoadU(d, a + i), hn::LoadU(d, b + i)));
        }
        hn::StoreU(sum, d, sums + s);
    }
}

double Dot(const double* a, const double* b, std::size_t n) {
    const Numbers d;
    Vec sum = hn::Zero(d);
    for (std::size_t i = 0; i < n; i += hn::Lanes(d)) {
        sum = hn::Add(sum, hn::Mul(hn::LoadU(d, a + i), hn::LoadU(d, b + i)));
    }
    return hn::GetLane(hn::SumOfLanes(d, sum));
}

}  // namespace sluice::tune::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sluice::tune::kernels {

HWY_EXPORT(Score);
HWY_EXPORT(Lower);
HWY_EXPORT(Exponentials);
HWY_EXPORT(Factors);
HWY_EXPORT(LeastOf);
HWY_EXPORT(Divide);
HWY_EXPORT(Judge);
HWY_EXPORT(ShareOut);
HWY_EXPORT(Combine);
HWY_EXPORT(FirstLeast);
HWY_EXPORT(AddProducts);
HWY_EXPORT(Dot);

void score(const double* base, const Rows& rows, const Scored& how,
           const std::array<double*, kDiscounts.size()>& errors, double* squares, double* bias) {
    HWY_DYNAMIC_DISPATCH(Score)(base, rows, how, errors, squares, bias);
}
void lower(const double* errors, const Speeds& speeds, const Rows& rows, bool begins, double* least) {
    HWY_DYNAMIC_DISPATCH(Lower)(errors, speeds, rows, begins, least);
}
void exponentials(const Speed* speeds, std::size_t count, const Rows& rows, const double* least, double rate,
                  bool begins, double* w) {
    HWY_DYNAMIC_DISPATCH(Exponentials)(speeds, count, rows, least, rate, begins, w);
}
void factors(const double* least, double lowest, double rate, std::size_t count, std::size_t n, double* factor) {
    HWY_DYNAMIC_DISPATCH(Factors)(least, lowest, rate, count, n, factor);
}
double least_of(const double* numbers, std::size_t count) {
    return HWY_DYNAMIC_DISPATCH(LeastOf)(numbers, count);
}
void divide(double* factor, double by, std::size_t n) {
    HWY_DYNAMIC_DISPATCH(Divide)(factor, by, n);
}
void judge(const SlowSums& sums, const SlowSums& drift, double share, std::size_t count, double* judged,
           double* offset) {
    HWY_DYNAMIC_DISPATCH(Judge)(sums, drift, share, count, judged, offset);
}
void share_out(const Weights& w, const Rows& rows, const Weights& norm, const double* norm_judged, double* judged,
               double* sums) {
    HWY_DYNAMIC_DISPATCH(ShareOut)(w, rows, norm, norm_judged, judged, sums);
}
void combine(const Weights& w, const Rows& rows, const Weights& norm, double share, double* out, double* total,
             double* sums) {
    HWY_DYNAMIC_DISPATCH(Combine)(w, rows, norm, share, out, total, sums);
}
std::size_t first_least(const double* numbers, const Rows& rows) {
    return HWY_DYNAMIC_DISPATCH(FirstLeast)(numbers, rows);
}
void add_products(const double* a, const double* b, const Rows& rows, double* sums) {
    HWY_DYNAMIC_DISPATCH(AddProducts)(a, b, rows, sums);
}
double dot(const double* a, const double* b, std::size_t n) {
    return HWY_DYNAMIC_DISPATCH(Dot)(a, b, n);
}

}  // namespace sluice::tune::kernels
#endif
