// mixture_kernels.cpp -- the loops of mixture.cpp and memory.cpp over all readings, for each set of vector instructions.
#include "mixture_kernels.hpp"

#include <cstddef>
#include <cstdint>

// The order of these counts.
// clang-format off
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

// To the nearest number whose lowest bits are 0.
HWY_INLINE Vec Rounded(Vec value) {
    const hn::RebindToUnsigned<Numbers> bits;
    const auto half = hn::Set(bits, std::uint64_t{1} << (kUnusedBits - 1));
    const auto used = hn::Set(bits, ~((std::uint64_t{1} << kUnusedBits) - 1));
    return hn::BitCast(Numbers(), hn::And(hn::Add(hn::BitCast(bits, value), half), used));
}

void Score(const double* base, const Rows& rows, const Scored& how,
           const std::array<double*, kDiscounts.size()>& errors, double* squares, double* bias) {
    const Numbers d;
    const Vec y = hn::Set(d, how.y);
    const Vec step = hn::Set(d, how.step);
    const Vec tail = hn::Set(d, how.tail);
    const Vec inverse = hn::Set(d, how.tail > 0.0 ? 1.0 / how.tail : 0.0);
    for (std::size_t row = 0; row < rows.count; ++row) {
        for (std::size_t i = row * rows.stride; i < (row * rows.stride) + rows.columns; i += hn::Lanes(d)) {
            const Vec before = hn::LoadU(d, bias + i);
            const Vec e = hn::Sub(hn::Sub(y, hn::LoadU(d, base + i)), before);
            const Vec square = hn::Mul(e, e);
            const Vec loss = how.tail > 0.0 ? hn::Mul(tail, hn::Log1p(d, hn::Mul(square, inverse))) : square;
            for (std::size_t c = 0; c < kDiscounts.size(); ++c) {
                const Vec sum = hn::LoadU(d, errors[c] + i);
                hn::StoreU(Rounded(hn::Add(hn::Mul(sum, hn::Set(d, kDiscounts[c])), loss)), d, errors[c] + i);
            }
            hn::StoreU(Rounded(hn::Add(hn::LoadU(d, squares + i), square)), d, squares + i);
            hn::StoreU(Rounded(hn::Add(before, hn::Mul(step, e))), d, bias + i);
        }
    }
}

void Lower(const double* errors, const Rows& rows, double* least) {
    const Numbers d;
    for (std::size_t s = 0; s < rows.columns; s += hn::Lanes(d)) {
        Vec low = hn::LoadU(d, least + s);
        for (std::size_t row = 0; row < rows.count; ++row) {
            low = hn::Min(low, hn::LoadU(d, errors + (row * rows.stride) + s));
        }
        hn::StoreU(low, d, least + s);
    }
}

void Exponentials(const double* errors, const Rows& rows, const double* least, double rate, double* w, double* sums) {
    const Numbers d;
    const Vec negative = hn::Set(d, -rate);
    const Vec lowest = hn::Set(d, -700.0);
    for (std::size_t s = 0; s < rows.columns; s += hn::Lanes(d)) {
        const Vec low = hn::LoadU(d, least + s);
        Vec sum = hn::LoadU(d, sums + s);
        for (std::size_t row = 0; row < rows.count; ++row) {
            const Vec above = hn::Sub(hn::LoadU(d, errors + (row * rows.stride) + s), low);
            const Vec weight = hn::Exp(d, hn::Max(hn::Mul(above, negative), lowest));
            hn::StoreU(weight, d, w + (row * rows.stride) + s);
            sum = hn::Add(sum, weight);
        }
        hn::StoreU(sum, d, sums + s);
    }
}

void Accumulate(const double* w, const double* bias, const Rows& rows, const double* norm, double* out,
                double* offset) {
    const Numbers d;
    for (std::size_t s = 0; s < rows.columns; s += hn::Lanes(d)) {
        const Vec unit = hn::LoadU(d, norm + s);
        Vec along = hn::LoadU(d, offset + s);
        for (std::size_t row = 0; row < rows.count; ++row) {
            const std::size_t i = (row * rows.stride) + s;
            const Vec weight = hn::Mul(hn::LoadU(d, w + i), unit);
            hn::StoreU(hn::Add(hn::LoadU(d, out + i), weight), d, out + i);
            along = hn::Add(along, hn::Mul(weight, hn::LoadU(d, bias + i)));
        }
        hn::StoreU(along, d, offset + s);
    }
}

void RowSums(const double* w, const Rows& rows, const double* norm, double* sums) {
    const Numbers d;
    for (std::size_t row = 0; row < rows.count; ++row) {
        Vec sum = hn::Zero(d);
        for (std::size_t s = 0; s < rows.columns; s += hn::Lanes(d)) {
            sum = hn::Add(sum, hn::Mul(hn::LoadU(d, w + (row * rows.stride) + s), hn::LoadU(d, norm + s)));
        }
        sums[row] = hn::GetLane(hn::SumOfLanes(d, sum));
    }
}

void AddMultiple(double times, const double* a, std::size_t n, double* sum) {
    const Numbers d;
    for (std::size_t i = 0; i < n; i += hn::Lanes(d)) {
        hn::StoreU(hn::Add(hn::LoadU(d, sum + i), hn::Mul(hn::Set(d, times), hn::LoadU(d, a + i))), d, sum + i);
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

// All rows but i, where a row has kVectors vectors: row i stays in registers.
template <std::size_t kVectors>
void ExchangeRows(double* T, std::size_t n, std::size_t stride, std::size_t i) {
    const Numbers d;
    const std::size_t lanes = hn::Lanes(d);
    const Vec place = hn::Set(d, static_cast<double>(i));
    Vec row_i[kVectors];                 // NOLINT(modernize-avoid-c-arrays): in std::array a vector loses its alignment
    hn::Mask<Numbers> others[kVectors];  // NOLINT(modernize-avoid-c-arrays)
    for (std::size_t v = 0; v < kVectors; ++v) {
        row_i[v] = hn::LoadU(d, T + (i * stride) + (v * lanes));
        others[v] = hn::Ne(hn::Iota(d, static_cast<double>(v * lanes)), place);
    }
    for (std::size_t r = 0; r < n; ++r) {
        if (r == i) {
            continue;
        }
        double* row = T + (r * stride);
        const Vec factors = hn::Set(d, row[i]);
        for (std::size_t v = 0; v < kVectors; ++v) {
            const Vec before = hn::IfThenElseZero(others[v], hn::LoadU(d, row + (v * lanes)));
            hn::StoreU(hn::Sub(before, hn::Mul(factors, row_i[v])), d, row + (v * lanes));
        }
    }
}

void Exchange(double* T, std::size_t n, std::size_t stride, std::size_t i) {
    const Numbers d;
    double* row_i = T + (i * stride);
    const double pivot = 1.0 / row_i[i];
    for (std::size_t c = 0; c < n; c += hn::Lanes(d)) {
        hn::StoreU(hn::Mul(hn::LoadU(d, row_i + c), hn::Set(d, pivot)), d, row_i + c);
    }
    row_i[i] = pivot;
    switch ((n + hn::Lanes(d) - 1) / hn::Lanes(d)) {
        case 1:
            return ExchangeRows<1>(T, n, stride, i);
        case 2:
            return ExchangeRows<2>(T, n, stride, i);
        case 3:
            return ExchangeRows<3>(T, n, stride, i);
        default:
            break;
    }
    // Column i counts as 0 before: it becomes -factor pivot in the same store as its neighbours, which the next exchange loads.
    const Vec place = hn::Set(d, static_cast<double>(i));
    for (std::size_t r = 0; r < n; ++r) {
        if (r == i) {
            continue;
        }
        double* row = T + (r * stride);
        const Vec factors = hn::Set(d, row[i]);
        for (std::size_t c = 0; c < n; c += hn::Lanes(d)) {
            const auto others = hn::Ne(hn::Iota(d, static_cast<double>(c)), place);
            const Vec before = hn::IfThenElseZero(others, hn::LoadU(d, row + c));
            hn::StoreU(hn::Sub(before, hn::Mul(factors, hn::LoadU(d, row_i + c))), d, row + c);
        }
    }
}

void TakeOut(double* T, std::size_t n, std::size_t stride, std::size_t i, std::span<const std::size_t> left) {
    const Numbers d;
    const double* row_i = T + (i * stride);
    const double pivot = 1.0 / row_i[i];
    for (const std::size_t r : left) {
        double* row = T + (r * stride);
        const Vec factor = hn::Set(d, row[i] * pivot);
        for (std::size_t c = 0; c < n; c += hn::Lanes(d)) {
            hn::StoreU(hn::Sub(hn::LoadU(d, row + c), hn::Mul(factor, hn::LoadU(d, row_i + c))), d, row + c);
        }
    }
}

void QuadraticForms(const double* P, std::size_t size, std::size_t stride, const double* x, double* out) {
    const Numbers d;
    for (std::size_t c = 0; c < 8; c += hn::Lanes(d)) {
        Vec sum = hn::Zero(d);
        for (std::size_t i = 0; i < size; ++i) {
            Vec along = hn::Zero(d);
            Vec beside = hn::Zero(d);
            const double* row = P + (i * stride);
            std::size_t j = 0;
            for (; j + 2 <= size; j += 2) {
                along = hn::Add(along, hn::Mul(hn::Set(d, row[j]), hn::LoadU(d, x + (8 * j) + c)));
                beside = hn::Add(beside, hn::Mul(hn::Set(d, row[j + 1]), hn::LoadU(d, x + (8 * (j + 1)) + c)));
            }
            if (j < size) {
                along = hn::Add(along, hn::Mul(hn::Set(d, row[j]), hn::LoadU(d, x + (8 * j) + c)));
            }
            sum = hn::Add(sum, hn::Mul(hn::Add(along, beside), hn::LoadU(d, x + (8 * i) + c)));
        }
        hn::StoreU(sum, d, out + c);
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
HWY_EXPORT(RowSums);
HWY_EXPORT(AddMultiple);
HWY_EXPORT(Dot);
HWY_EXPORT(FactorFour);
HWY_EXPORT(ForwardFour);
HWY_EXPORT(Exchange);
HWY_EXPORT(TakeOut);
HWY_EXPORT(QuadraticForms);

void score(const double* base, const Rows& rows, const Scored& how,
           const std::array<double*, kDiscounts.size()>& errors, double* squares, double* bias) {
    HWY_DYNAMIC_DISPATCH(Score)(base, rows, how, errors, squares, bias);
}
void lower(const double* errors, const Rows& rows, double* least) {
    HWY_DYNAMIC_DISPATCH(Lower)(errors, rows, least);
}
void exponentials(const double* errors, const Rows& rows, const double* least, double rate, double* w, double* sums) {
    HWY_DYNAMIC_DISPATCH(Exponentials)(errors, rows, least, rate, w, sums);
}
void accumulate(const double* w, const double* bias, const Rows& rows, const double* norm, double* out,
                double* offset) {
    HWY_DYNAMIC_DISPATCH(Accumulate)(w, bias, rows, norm, out, offset);
}
void row_sums(const double* w, const Rows& rows, const double* norm, double* sums) {
    HWY_DYNAMIC_DISPATCH(RowSums)(w, rows, norm, sums);
}
void add_multiple(double times, const double* a, std::size_t n, double* sum) {
    HWY_DYNAMIC_DISPATCH(AddMultiple)(times, a, n, sum);
}
double dot(const double* a, const double* b, std::size_t n) {
    return HWY_DYNAMIC_DISPATCH(Dot)(a, b, n);
}
void factor_four(const double* A, std::size_t size, const double* ridges, double* L) {
    HWY_DYNAMIC_DISPATCH(FactorFour)(A, size, ridges, L);
}
void forward_four(const double* L, std::size_t size, double* x) {
    HWY_DYNAMIC_DISPATCH(ForwardFour)(L, size, x);
}
void exchange(double* T, std::size_t n, std::size_t stride, std::size_t i) {
    HWY_DYNAMIC_DISPATCH(Exchange)(T, n, stride, i);
}
void take_out(double* T, std::size_t n, std::size_t stride, std::size_t i, std::span<const std::size_t> left) {
    HWY_DYNAMIC_DISPATCH(TakeOut)(T, n, stride, i, left);
}
void quadratic_forms(const double* P, std::size_t size, std::size_t stride, const double* x, double* out) {
    HWY_DYNAMIC_DISPATCH(QuadraticForms)(P, size, stride, x, out);
}

}  // namespace sluice::tune::kernels
#endif
