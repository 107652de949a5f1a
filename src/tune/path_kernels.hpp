// path_kernels.hpp -- the tables in which variables of the path are exchanged (path.hpp).
#pragma once

#include <cstddef>
#include <span>

namespace sluice::tune::kernels {

/// Exchanges variable i of the table T, n rows `stride` apart (path.hpp). stride is a multiple of eight; what lies between n and it
/// may change.
void exchange(double* T, std::size_t n, std::size_t stride, std::size_t i);
/// The same for the rows in `left` alone: what they are without variable i.
void take_out(double* T, std::size_t n, std::size_t stride, std::size_t i, std::span<const std::size_t> left);
/// out_c = sum_ij x_ic P_ij x_jc for eight vectors side by side: x_ic at x[8 i + c]; P: rows `stride` apart.
void quadratic_forms(const double* P, std::size_t size, std::size_t stride, const double* x, double* out);

}  // namespace sluice::tune::kernels
