// mixture_kernels.hpp -- the loops over all readings of one output: errors, weights, sums. `n` is a multiple of eight.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "constants.hpp"

namespace sluice::tune::kernels {

/// Numbers in rows, one column for each number of names: of each row the first `columns` are used, a multiple of eight.
struct Rows {
    std::size_t count;
    std::size_t stride;
    std::size_t columns;
};

/// One observed value, scored by readings that share a speed of the intercept.
struct Scored {
    double y;
    double tail;  // c s of constants.hpp; 0: plain squares
    double step;  // of the intercept: b <- b + step (e - b)
};
/// The lowest bits of a sum of losses, of its squares and of its bias are 0, as rounded after each row: 38 bits of the mantissa are left.
/// A saved state is smaller by that, and a weight changes by less than 1e-9 of itself.
inline constexpr unsigned kUnusedBits = 14;

/// e = y - base - bias; errors[d] <- discount errors[d] + loss(e); squares += e^2; bias += step e.
void score(const double* base, const Rows& rows, const Scored& how,
           const std::array<double*, kDiscounts.size()>& errors, double* squares, double* bias);

/// least_s <- min(least_s, errors of each row at s), for each size s.
void lower(const double* errors, const Rows& rows, double* least);

/// w = exp(-(error - least_s) rate); sums_s += w.
void exponentials(const double* errors, const Rows& rows, const double* least, double rate, double* w, double* sums);

/// out += w norm_s, offset_s += w norm_s bias.
void accumulate(const double* w, const double* bias, const Rows& rows, const double* norm, double* out, double* offset);

/// sums_r = sum of w norm_s over the sizes, for each row.
void row_sums(const double* w, const Rows& rows, const double* norm, double* sums);

/// sum_i += times a_i
void add_multiple(double times, const double* a, std::size_t n, double* sum);

/// sum of a_i b_i
[[nodiscard]] double dot(const double* a, const double* b, std::size_t n);

/// L L' = A + ridge_r I for four ridges at once. A: size x size by rows, unit diagonal; only its lower half is read.
/// L: entry (i, j) of the four factors at 4 (i size + j); the diagonal holds inverses.
void factor_four(const double* A, std::size_t size, const double* ridges, double* L);
/// x <- L^-1 x for the four factors: x[4 i + r].
void forward_four(const double* L, std::size_t size, double* x);

/// Exchanges variable i of the table T, n rows `stride` apart (path.hpp). stride is a multiple of eight; what lies between n and it
/// may change.
void exchange(double* T, std::size_t n, std::size_t stride, std::size_t i);
/// The same for the rows in `left` alone: what they are without variable i.
void take_out(double* T, std::size_t n, std::size_t stride, std::size_t i, std::span<const std::size_t> left);
/// out_c = sum_ij x_ic P_ij x_jc for eight vectors side by side: x_ic at x[8 i + c]; P: rows `stride` apart.
void quadratic_forms(const double* P, std::size_t size, std::size_t stride, const double* x, double* out);

}  // namespace sluice::tune::kernels
