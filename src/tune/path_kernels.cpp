// path_kernels.cpp -- the tables of the path, for each set of vector instructions.
#include "path_kernels.hpp"

#include <cstddef>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "path_kernels.cpp"
#include "simd_inl.hpp"  // compiles this file once for each set of vector instructions

HWY_BEFORE_NAMESPACE();
namespace sluice::tune::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using core::kernels::HWY_NAMESPACE::Numbers;
using core::kernels::HWY_NAMESPACE::Vec;

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

HWY_EXPORT(Exchange);
HWY_EXPORT(TakeOut);
HWY_EXPORT(QuadraticForms);

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
