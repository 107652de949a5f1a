// solve_kernels.hpp -- the linear systems of a refit, which have as many rows as there are selected variables.
#pragma once

#include <cstddef>

namespace sluice::core::kernels {

/// Systems of more rows gain nothing from these loops.
inline constexpr std::size_t kMostRows = 32;

/// X <- (A + ridge I)^-1 X. A: size x size, positive semidefinite, of which the lower half is read; X: `columns` columns. Both by
/// columns. size: at most kMostRows.
void solve_with_ridge(const double* A, std::size_t size, double ridge, double* X, std::size_t columns);

}  // namespace sluice::core::kernels
