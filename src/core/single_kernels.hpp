// single_kernels.hpp -- the loops over columns of C in single precision; kernels.hpp states lengths,
// alignment and sums.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sluice::core::kernels {

/// g_i = float(h_i root unit_i). False where some |h_i unit_i| exceeds `most`, or an input with unit 0 deviates.
[[nodiscard]] bool to_single(const double* h, const double* unit, double root, double most, std::size_t n, float* g);

/// out_i = float(a_i b_i factor), b_i = 1 where b is null. Returns the largest |out_i|.
float to_single(const double* a, const double* b, double factor, std::size_t n, float* out);

/// What a fit leaves of M at the inputs first .. last, with C in single precision:
///
///     left_ik = M_ik - z_i factor sum_s column_s[i] coefficient[s][k]
///     along_i = sum_k left_ik g_k
///
/// first, last: multiples of 16.
struct LeftOfFit {
    const float* M;  ///< output by output, `stride` apart
    std::size_t stride;
    std::size_t outputs;
    const float* g;
    const float* z;
    float factor;
    const float* const* columns;
    std::size_t count;
    const float* coefficient;  ///< count x outputs by rows
};
struct Left {
    double square;  ///< sum of left_ik^2
    float largest;  ///< |along_i|
};
/// `along` may be M where there is one output.
[[nodiscard]] Left left_of_fit(const LeftOfFit& fit, std::size_t first, std::size_t last, float* along);

/// Numbers of the entries with |a_i| >= least; n: a multiple of 16.
std::size_t entries_from(const float* a, float least, std::size_t n, std::uint32_t* hits);

}  // namespace sluice::core::kernels
