// single_kernels.hpp -- the loops over columns of C in single precision; kernels.hpp states lengths,
// alignment and sums.
#pragma once

#include <cstddef>

namespace sluice::core::kernels {

/// g_i = float(h_i root unit_i). False where some |h_i unit_i| exceeds `most`, or an input with unit 0 deviates.
[[nodiscard]] bool to_single(const double* h, const double* unit, double root, double most, std::size_t n, float* g);

/// What a fit leaves of M at the inputs first .. last, with C in single precision:
///
///     left_ik = M_ik e_k - inverse_i back sum_s column_s[i] coefficient[s][k]
///     along_i = sum_k left_ik g_k
///
/// first: a multiple of 16. Returns sum_i w_i sum_k left_ik^2.
struct LeftOfFit {
    const double* M;  ///< output by output, `stride` apart
    std::size_t stride;
    std::size_t outputs;
    const double* e;
    const double* g;
    const double* w;
    const double* inverse;
    double back;
    const float* const* columns;  ///< whole cache lines each
    std::size_t count;
    const float* coefficient;  ///< count x outputs by rows
};
[[nodiscard]] double left_of_fit(const LeftOfFit& fit, std::size_t first, std::size_t last, double* along);

/// out_i = inverse_i back sum_s column_s[i] coefficient[s] at the inputs first .. last; first: a multiple of 16.
void single_product(const float* const* columns, std::size_t count, const float* coefficient, const double* inverse,
                    double back, std::size_t first, std::size_t last, double* out);

}  // namespace sluice::core::kernels
