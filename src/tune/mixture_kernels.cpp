// mixture_kernels.cpp -- the loops of mixture.cpp and memory.cpp over all readings, for each set of vector instructions.
#include "mixture_kernels.hpp"

#include <cstddef>

// clang-format off: the order of these counts
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "mixture_kernels.cpp"
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL)
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>
#include <hwy/contrib/math/math-inl.h>
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace sluice::tune::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Numbers = hn::CappedTag<double, 8>;
using Vec = hn::Vec<Numbers>;

void Score(const double* base, std::size_t n, const Scored& how, const std::array<double*, kDiscounts.size()>& errors,
           double* squares, double* bias) {
    const Numbers d;
    const Vec y = hn::Set(d, how.y);
    const Vec step = hn::Set(d, how.step);
    const Vec tail = hn::Set(d, how.tail);
    const Vec inverse = hn::Set(d, how.tail > 0.0 ? 1.0 / how.tail : 0.0);
    for (std::size_t i = 0; i < n; i += hn::Lanes(d)) {
        const Vec before = hn::LoadU(d, bias + i);
        const Vec e = hn::Sub(hn::Sub(y, hn::LoadU(d, base + i)), before);
        const Vec square = hn::Mul(e, e);
        const Vec loss = how.tail > 0.0 ? hn::Mul(tail, hn::Log1p(d, hn::Mul(square, inverse))) : square;
        for (std::size_t c = 0; c < kDiscounts.size(); ++c) {
            const Vec sum = hn::LoadU(d, errors[c] + i);
            hn::StoreU(hn::Add(hn::Mul(sum, hn::Set(d, kDiscounts[c])), loss), d, errors[c] + i);
        }
        hn::StoreU(hn::Add(hn::LoadU(d, squares + i), square), d, squares + i);
        hn::StoreU(hn::Add(before, hn::Mul(step, e)), d, bias + i);
    }
}

void Lower(const double* errors, std::size_t rows, std::size_t stride, double* least) {
    const Numbers d;
    for (std::size_t s = 0; s < stride; s += hn::Lanes(d)) {
        Vec low = hn::LoadU(d, least + s);
        for (std::size_t row = 0; row < rows; ++row) {
            low = hn::Min(low, hn::LoadU(d, errors + (row * stride) + s));
        }
        hn::StoreU(low, d, least + s);
    }
}

void Exponentials(const double* errors, std::size_t rows, std::size_t stride, const double* least, double rate,
                  double* w, double* sums) {
    const Numbers d;
    const Vec negative = hn::Set(d, -rate);
    const Vec lowest = hn::Set(d, -700.0);
    for (std::size_t s = 0; s < stride; s += hn::Lanes(d)) {
        const Vec low = hn::LoadU(d, least + s);
        Vec sum = hn::LoadU(d, sums + s);
        for (std::size_t row = 0; row < rows; ++row) {
            const Vec above = hn::Sub(hn::LoadU(d, errors + (row * stride) + s), low);
            const Vec weight = hn::Exp(d, hn::Max(hn::Mul(above, negative), lowest));
            hn::StoreU(weight, d, w + (row * stride) + s);
            sum = hn::Add(sum, weight);
        }
        hn::StoreU(sum, d, sums + s);
    }
}

void Accumulate(const double* w, const double* bias, std::size_t rows, std::size_t stride, const double* norm,
                double* out, double* offset) {
    const Numbers d;
    for (std::size_t s = 0; s < stride; s += hn::Lanes(d)) {
        const Vec unit = hn::LoadU(d, norm + s);
        Vec along = hn::LoadU(d, offset + s);
        for (std::size_t row = 0; row < rows; ++row) {
            const std::size_t i = (row * stride) + s;
            const Vec weight = hn::Mul(hn::LoadU(d, w + i), unit);
            hn::StoreU(hn::Add(hn::LoadU(d, out + i), weight), d, out + i);
            along = hn::Add(along, hn::Mul(weight, hn::LoadU(d, bias + i)));
        }
        hn::StoreU(along, d, offset + s);
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

using Four = hn::CappedTag<double, 4>;

void FactorFour(const double* A, std::size_t size, const double* ridges, double* L) {
    const Four d;
    const std::size_t lanes = hn::Lanes(d);
    for (std::size_t r = 0; r < 4; r += lanes) {
        const auto ridge = hn::LoadU(d, ridges + r);
        for (std::size_t i = 0; i < size; ++i) {
            double* row = L + (4 * i * size) + r;
            for (std::size_t j = 0; j < i; ++j) {
                const double* other = L + (4 * j * size) + r;
                auto sum = hn::Set(d, A[(i * size) + j]);
                for (std::size_t m = 0; m < j; ++m) {
                    sum = hn::Sub(sum, hn::Mul(hn::LoadU(d, row + (4 * m)), hn::LoadU(d, other + (4 * m))));
                }
                hn::StoreU(hn::Mul(sum, hn::LoadU(d, other + (4 * j))), d, row + (4 * j));
            }
            auto pivot = hn::Add(hn::Set(d, A[(i * size) + i]), ridge);
            for (std::size_t m = 0; m < i; ++m) {
                const auto entry = hn::LoadU(d, row + (4 * m));
                pivot = hn::Sub(pivot, hn::Mul(entry, entry));
            }
            // In exact arithmetic a pivot is at least the ridge.
            pivot = hn::Max(pivot, hn::Mul(ridge, hn::Set(d, 0.5)));
            hn::StoreU(hn::Div(hn::Set(d, 1.0), hn::Sqrt(pivot)), d, row + (4 * i));
        }
    }
}

void ForwardFour(const double* L, std::size_t size, std::size_t stride, double* x) {
    const Four d;
    const std::size_t lanes = hn::Lanes(d);
    for (std::size_t r = 0; r < 4; r += lanes) {
        for (std::size_t i = 0; i < size; ++i) {
            const double* row = L + (4 * i * stride) + r;
            auto sum = hn::LoadU(d, x + (4 * i) + r);
            for (std::size_t m = 0; m < i; ++m) {
                sum = hn::Sub(sum, hn::Mul(hn::LoadU(d, row + (4 * m)), hn::LoadU(d, x + (4 * m) + r)));
            }
            hn::StoreU(hn::Mul(sum, hn::LoadU(d, row + (4 * i))), d, x + (4 * i) + r);
        }
    }
}

}  // namespace sluice::tune::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sluice::tune::kernels {

HWY_EXPORT(Score);
HWY_EXPORT(Lower);
HWY_EXPORT(Exponentials);
HWY_EXPORT(Accumulate);
HWY_EXPORT(Dot);
HWY_EXPORT(FactorFour);
HWY_EXPORT(ForwardFour);

void score(const double* base, std::size_t n, const Scored& how, const std::array<double*, kDiscounts.size()>& errors,
           double* squares, double* bias) {
    HWY_DYNAMIC_DISPATCH(Score)(base, n, how, errors, squares, bias);
}
void lower(const double* errors, std::size_t rows, std::size_t stride, double* least) {
    HWY_DYNAMIC_DISPATCH(Lower)(errors, rows, stride, least);
}
void exponentials(const double* errors, std::size_t rows, std::size_t stride, const double* least, double rate,
                  double* w, double* sums) {
    HWY_DYNAMIC_DISPATCH(Exponentials)(errors, rows, stride, least, rate, w, sums);
}
void accumulate(const double* w, const double* bias, std::size_t rows, std::size_t stride, const double* norm,
                double* out, double* offset) {
    HWY_DYNAMIC_DISPATCH(Accumulate)(w, bias, rows, stride, norm, out, offset);
}
double dot(const double* a, const double* b, std::size_t n) {
    return HWY_DYNAMIC_DISPATCH(Dot)(a, b, n);
}
void factor_four(const double* A, std::size_t size, const double* ridges, double* L) {
    HWY_DYNAMIC_DISPATCH(FactorFour)(A, size, ridges, L);
}
void forward_four(const double* L, std::size_t size, std::size_t stride, double* x) {
    HWY_DYNAMIC_DISPATCH(ForwardFour)(L, size, stride, x);
}

}  // namespace sluice::tune::kernels
#endif
