// gram_kernels.hpp -- the loops over C and over the history; kernels.hpp states lengths, alignment and sums.
#pragma once

#include <cstddef>

namespace sluice::core::kernels {

/// out_m = sum_c columns[c] coefficient[c][m] for m < targets, at places first .. last; coefficients by rows.
void columns_product(const double* const* columns, std::size_t count, const double* coefficient, std::size_t targets,
                     std::size_t first, std::size_t last, double* out, std::size_t out_stride);

/// out = C v + along row, where v has the given coefficients in the given columns of C, n numbers each and `stride` apart.
/// row: null for none.
void matrix_product(const double* C, std::size_t stride, const std::size_t* columns, std::size_t count,
                    const double* coefficient, const double* row, double along, std::size_t n, double* out);

/// to[c] += sum_b rows[b] coefficient[b][c] for c < columns, at places first .. last; coefficients by rows of
/// kColumnsAtOnce. Rows are added one after the other: one call or several give the same bits.
constexpr std::size_t kColumnsAtOnce = 4;
void add_rows(const double* const* rows, const double* coefficient, std::size_t count, std::size_t first,
              std::size_t last, double* const* to, std::size_t columns);
void add_rows(const float* const* rows, const float* coefficient, std::size_t count, std::size_t first,
              std::size_t last, float* const* to, std::size_t columns);

/// C += v v' + w w', C with `inputs` columns of n numbers, `stride` apart.
void add_outer(const double* v, const double* w, std::size_t inputs, std::size_t n, std::size_t stride, double* C);

/// ring[i * stride + b] = rows[b][i] for b < kLanes: eight rows, stored input by input, past the cache.
void transpose_rows(const double* const* rows, std::size_t inputs, std::size_t stride, double* ring);
void transpose_rows(const double* const* rows, std::size_t inputs, std::size_t stride, float* ring);

}  // namespace sluice::core::kernels
