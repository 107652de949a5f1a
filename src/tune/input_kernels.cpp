// input_kernels.cpp -- loops over all inputs, for each set of vector instructions.
#include "input_kernels.hpp"

#include <cmath>
#include <cstddef>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "input_kernels.cpp"
#include "simd_inl.hpp"  // compiles this file once for each set of vector instructions

HWY_BEFORE_NAMESPACE();
namespace sluice::tune::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using core::kernels::HWY_NAMESPACE::Numbers;
using core::kernels::HWY_NAMESPACE::Vec;

double AddToRange(const double* x, std::size_t n, const RangeRow& row, double* mean, double* spread) {
    const Numbers d;
    const double one_step = 1.0 / row.rows;
    const bool begins = row.rows > 1.5;
    const Vec step = hn::Set(d, one_step);
    const Vec root = hn::Set(d, std::sqrt(one_step));
    const Vec one = hn::Set(d, 1.0);
    const Vec zero = hn::Zero(d);
    const Vec largest = hn::Set(d, row.largest);
    const Vec least = hn::Set(d, -row.largest);
    const Vec most_ratio = hn::Set(d, row.most_ratio);
    Vec most = zero;
    for (std::size_t i = 0; i < n; i += hn::Lanes(d)) {
        const Vec value = hn::LoadU(d, x + i);
        const auto there = hn::Eq(value, value);
        const Vec m = hn::LoadU(d, mean + i);
        const Vec s = hn::LoadU(d, spread + i);
        const Vec apart = hn::Sub(hn::Max(hn::Min(value, largest), least), m);
        const Vec size = hn::Abs(apart);
        const auto varies = hn::Gt(s, zero);
        const Vec ratio = hn::Min(hn::Div(size, hn::IfThenElse(varies, s, one)), most_ratio);
        const Vec times = hn::Sqrt(hn::Add(one, hn::Mul(step, hn::Sub(hn::Mul(ratio, ratio), one))));
        const Vec first = begins ? hn::Mul(size, root) : s;
        hn::StoreU(hn::IfThenElse(there, hn::Add(m, hn::Mul(step, apart)), m), d, mean + i);
        hn::StoreU(hn::IfThenElse(there, hn::IfThenElse(varies, hn::Mul(s, times), first), s), d, spread + i);
        most = hn::Max(most, hn::IfThenElseZero(hn::And(there, varies), ratio));
    }
    return hn::GetLane(hn::MaxOfLanes(d, most));
}

}  // namespace sluice::tune::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sluice::tune::kernels {

HWY_EXPORT(AddToRange);

double add_to_range(const double* x, std::size_t n, const RangeRow& row, double* mean, double* spread) {
    return HWY_DYNAMIC_DISPATCH(AddToRange)(x, n, row, mean, spread);
}

}  // namespace sluice::tune::kernels
#endif
