// vector_kernels.cpp -- the loops over one vector, or over a few of the same length, entry by entry.
//
// The first five make the inputs' part of a row: deviations from the running means, C_ii and the units of each input.
// The others work on a direction a = H u or on a series of the history. Where a sum is returned, several accumulators
// hide the latency of the additions; they are added in a fixed order.
//
//   kernel         read per input    written     serves
//   within         8 (16 with unit)  -           the range check of a row
//   centre         16 (24)           16 bytes    eq. (15): deviations from the mean
//   add_squares    16                8           eq. (15): the diagonal of C
//   input_units    16                8           D^2 of working_units.cpp, and the trace of D C D
//   weighted_sum   16                -           the same trace
//   scale          8                 8           eq. (15): a row times the root of its weight
//   square_roots   8                 8           D of D^2
//   combine        24                8           eq. (16): the sum of the two parts of H u
//   dot            16 (float: 12)    -           C_ij over the history; lengths of vectors
//   multiply       16                8           weights of the rows in a series of the history
//   add_multiple   12                8           scores of the history in single precision
#include "vector_kernels.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "vector_kernels.cpp"
#include "simd_inl.hpp"  // compiles this file once for each set of vector instructions

HWY_BEFORE_NAMESPACE();
namespace sluice::core::kernels::HWY_NAMESPACE {

bool Within(const double* x, const double* unit, std::size_t n, double limit) {
    const Numbers d;
    const Vec most = hn::Set(d, limit);
    std::size_t i = 0;
    auto good = hn::Eq(most, most);
    for (; i + lanes() <= n; i += lanes()) {
        const Vec value = unit == nullptr ? hn::LoadU(d, x + i) : hn::Mul(hn::LoadU(d, x + i), hn::LoadU(d, unit + i));
        good = hn::And(good, hn::Le(hn::Abs(value), most));  // false for NaN
    }
    bool all = hn::AllTrue(d, good);
    for (; i < n; ++i) {
        all = all && std::abs(x[i] * (unit == nullptr ? 1.0 : unit[i])) <= limit;
    }
    return all;
}

// No fused multiply-add: row_pass.cpp computes the same bits one by one for inputs with gaps.
void Centre(const double* x, const double* unit, std::size_t size, const Centring& how, double* mean, double* h) {
    const Numbers d;
    const Vec step = hn::Set(d, how.step);
    const Vec root = hn::Set(d, how.root);
    auto centre_at = [&](const Vec& own, std::size_t i) HWY_ATTR {
        const Vec value = unit == nullptr ? own : hn::Mul(own, hn::Load(d, unit + i));
        const Vec before = hn::Load(d, mean + i);
        const Vec deviation = hn::Sub(value, before);
        hn::Store(hn::Add(before, hn::Mul(deviation, step)), d, mean + i);
        hn::Store(how.center ? hn::Mul(deviation, root) : value, d, h + i);
    };
    const std::size_t whole = size / 8 * 8;
    for (std::size_t i = 0; i < whole; i += lanes()) {
        centre_at(hn::LoadU(d, x + i), i);
    }
    if (whole < size) {  // the row ends within a vector
        alignas(64) std::array<double, 8> tail{};
        std::copy(x + whole, x + size, tail.begin());
        for (std::size_t i = 0; i < 8; i += lanes()) {
            centre_at(hn::Load(d, tail.data() + i), whole + i);
        }
    }
}

void AddSquares(const double* h, double weight, std::size_t n, double* square) {
    const Numbers d;
    const Vec w = hn::Set(d, weight);
    for (std::size_t i = 0; i < n; i += lanes()) {
        const Vec v = hn::Load(d, h + i);
        hn::Store(hn::Add(hn::Load(d, square + i), hn::Mul(hn::Mul(v, v), w)), d, square + i);
    }
}

InputSums InputUnits(const double* square, const double* mean, const Units& how, std::size_t n, double* w) {
    const Numbers d;
    const Vec one = hn::Set(d, 1.0);
    const Vec variance = hn::Set(d, how.variance);
    const Vec floor = hn::Set(d, how.floor);
    Vec trace = hn::Zero(d);
    std::size_t count = 0;
    for (std::size_t i = 0; i < n; i += lanes()) {
        const Vec C = hn::Load(d, square + i);
        const Vec m = hn::Load(d, mean + i);
        const auto varies = hn::Gt(hn::Mul(C, variance), hn::Mul(floor, hn::Mul(m, m)));
        const Vec unit = how.scale ? hn::Div(one, C) : one;
        const Vec kept = hn::IfThenElseZero(varies, unit);
        hn::Store(kept, d, w + i);
        trace = hn::Add(trace, hn::Mul(kept, C));
        count += hn::CountTrue(d, varies);
    }
    return {hn::GetLane(hn::SumOfLanes(d, trace)), count};
}

double WeightedSum(const double* w, const double* square, std::size_t n) {
    const Numbers d;
    Vec sum = hn::Zero(d);
    for (std::size_t i = 0; i < n; i += lanes()) {
        sum = hn::Add(sum, hn::Mul(hn::Load(d, w + i), hn::Load(d, square + i)));
    }
    return hn::GetLane(hn::SumOfLanes(d, sum));
}

void Scale(double* a, double factor, std::size_t n) {
    const Numbers d;
    const Vec f = hn::Set(d, factor);
    for (std::size_t i = 0; i < n; i += lanes()) {
        hn::Store(hn::Mul(hn::Load(d, a + i), f), d, a + i);
    }
}

void SquareRoots(const double* w, std::size_t n, double* roots) {
    const Numbers d;
    for (std::size_t i = 0; i < n; i += lanes()) {
        hn::Store(hn::Sqrt(hn::Load(d, w + i)), d, roots + i);
    }
}

double Combine(const double* c, double c_part, const double* b, double b_part, const double* unit, std::size_t n,
               double* a) {
    const Numbers d;
    const Vec bs = hn::Set(d, b_part);
    const Vec cs = hn::Set(d, c_part);
    Vec most = hn::Zero(d);
    for (std::size_t i = 0; i < n; i += lanes()) {
        Vec sum = hn::Mul(hn::Load(d, b + i), bs);
        if (c != nullptr) {
            sum = hn::MulAdd(hn::Load(d, c + i), cs, sum);
        }
        const Vec value = unit != nullptr ? hn::Mul(hn::Load(d, unit + i), sum) : sum;
        hn::Store(value, d, a + i);
        most = hn::Max(most, hn::Abs(value));
    }
    return hn::GetLane(hn::MaxOfLanes(d, most));
}

double Dot(const double* a, const double* b, std::size_t n) {
    const Numbers d;
    Vec s0 = hn::Zero(d);
    Vec s1 = s0;
    Vec s2 = s0;
    Vec s3 = s0;
    const std::size_t N = lanes();
    std::size_t i = 0;
    for (; i + (4 * N) <= n; i += 4 * N) {
        s0 = hn::MulAdd(hn::LoadU(d, a + i), hn::LoadU(d, b + i), s0);
        s1 = hn::MulAdd(hn::LoadU(d, a + i + N), hn::LoadU(d, b + i + N), s1);
        s2 = hn::MulAdd(hn::LoadU(d, a + i + (2 * N)), hn::LoadU(d, b + i + (2 * N)), s2);
        s3 = hn::MulAdd(hn::LoadU(d, a + i + (3 * N)), hn::LoadU(d, b + i + (3 * N)), s3);
    }
    for (; i + N <= n; i += N) {
        s0 = hn::MulAdd(hn::LoadU(d, a + i), hn::LoadU(d, b + i), s0);
    }
    double sum = hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(s0, s1), hn::Add(s2, s3))));
    for (; i < n; ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

double DotSingle(const float* a, const double* b, std::size_t n) {
    const Numbers d;
    const hn::Rebind<float, Numbers> single;
    Vec s0 = hn::Zero(d);
    Vec s1 = s0;
    const std::size_t N = lanes();
    std::size_t i = 0;
    for (; i + (2 * N) <= n; i += 2 * N) {
        s0 = hn::MulAdd(hn::PromoteTo(d, hn::LoadU(single, a + i)), hn::LoadU(d, b + i), s0);
        s1 = hn::MulAdd(hn::PromoteTo(d, hn::LoadU(single, a + i + N)), hn::LoadU(d, b + i + N), s1);
    }
    double sum = hn::GetLane(hn::SumOfLanes(d, hn::Add(s0, s1)));
    for (; i < n; ++i) {
        sum += static_cast<double>(a[i]) * b[i];
    }
    return sum;
}

void Multiply(const double* a, const double* b, std::size_t n, double* out) {
    const Numbers d;
    std::size_t i = 0;
    for (; i + lanes() <= n; i += lanes()) {
        hn::StoreU(hn::Mul(hn::LoadU(d, a + i), hn::LoadU(d, b + i)), d, out + i);
    }
    for (; i < n; ++i) {
        out[i] = a[i] * b[i];
    }
}

void AddMultiple(const float* from, double factor, std::size_t n, double* to) {
    const Numbers d;
    const hn::Rebind<float, Numbers> single;
    const Vec f = hn::Set(d, factor);
    std::size_t i = 0;
    for (; i + lanes() <= n; i += lanes()) {
        hn::StoreU(hn::MulAdd(f, hn::PromoteTo(d, hn::LoadU(single, from + i)), hn::LoadU(d, to + i)), d, to + i);
    }
    for (; i < n; ++i) {
        to[i] += factor * static_cast<double>(from[i]);
    }
}

const char* TargetName() {
    return hwy::TargetName(HWY_TARGET);
}

}  // namespace sluice::core::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sluice::core::kernels {

HWY_EXPORT(Within);
HWY_EXPORT(Centre);
HWY_EXPORT(AddSquares);
HWY_EXPORT(InputUnits);
HWY_EXPORT(WeightedSum);
HWY_EXPORT(Scale);
HWY_EXPORT(SquareRoots);
HWY_EXPORT(Combine);
HWY_EXPORT(Dot);
HWY_EXPORT(DotSingle);
HWY_EXPORT(Multiply);
HWY_EXPORT(AddMultiple);
HWY_EXPORT(TargetName);

bool within(const double* x, const double* unit, std::size_t n, double limit) {
    return HWY_DYNAMIC_DISPATCH(Within)(x, unit, n, limit);
}
void centre(const double* x, const double* unit, std::size_t size, const Centring& how, double* mean, double* h) {
    HWY_DYNAMIC_DISPATCH(Centre)(x, unit, size, how, mean, h);
}
void add_squares(const double* h, double weight, std::size_t n, double* square) {
    HWY_DYNAMIC_DISPATCH(AddSquares)(h, weight, n, square);
}
InputSums input_units(const double* square, const double* mean, const Units& how, std::size_t n, double* w) {
    return HWY_DYNAMIC_DISPATCH(InputUnits)(square, mean, how, n, w);
}
double weighted_sum(const double* w, const double* square, std::size_t n) {
    return HWY_DYNAMIC_DISPATCH(WeightedSum)(w, square, n);
}
void scale(double* a, double factor, std::size_t n) {
    HWY_DYNAMIC_DISPATCH(Scale)(a, factor, n);
}
void square_roots(const double* w, std::size_t n, double* roots) {
    HWY_DYNAMIC_DISPATCH(SquareRoots)(w, n, roots);
}
double combine(const double* c, double c_part, const double* b, double b_part, const double* unit, std::size_t n,
               double* a) {
    return HWY_DYNAMIC_DISPATCH(Combine)(c, c_part, b, b_part, unit, n, a);
}
double dot(const double* a, const double* b, std::size_t n) {
    return HWY_DYNAMIC_DISPATCH(Dot)(a, b, n);
}
double dot(const float* a, const double* b, std::size_t n) {
    return HWY_DYNAMIC_DISPATCH(DotSingle)(a, b, n);
}
void multiply(const double* a, const double* b, std::size_t n, double* out) {
    HWY_DYNAMIC_DISPATCH(Multiply)(a, b, n, out);
}
void add_multiple(const float* from, double factor, std::size_t n, double* to) {
    HWY_DYNAMIC_DISPATCH(AddMultiple)(from, factor, n, to);
}
const char* target_name() {
    return HWY_DYNAMIC_DISPATCH(TargetName)();
}

}  // namespace sluice::core::kernels
#endif  // HWY_ONCE
