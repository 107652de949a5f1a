// mixture_kernels.hpp -- the loops over all readings of one output: errors, weights, sums. `n` is a multiple of eight.
#pragma once

#include <array>
#include <cstddef>

#include "constants.hpp"

namespace sluice::tune::kernels {

/// Numbers in rows, one column for each number of names: of each row the first `columns` are computed, a multiple of eight, and
/// `copies` more are those of the last of them.
struct Rows {
    std::size_t count;
    std::size_t stride;
    std::size_t columns;
    std::size_t copies = 0;
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

/// Speeds of the intercept whose numbers are a distance apart.
struct Speeds {
    std::size_t count;
    std::size_t apart;
};
/// least_s <- min(least_s, errors of each speed and row at s), for each size s. begins: least_s is the largest number before.
void lower(const double* errors, const Speeds& speeds, const Rows& rows, bool begins, double* least);

/// Readings whose error is this number of mean losses above the least weigh nothing: exp(-50) of the best one is below the rounding
/// of any sum.
inline constexpr double kNegligible = -50.0;

/// The readings of one speed of the intercept, and their sums by size.
struct Speed {
    const double* errors;
    const double* bias;
    double* sums;   // sums_s += w
    double* drift;  // drift_s += w bias
};
/// w = the sum over these one or two speeds of exp(-(error - least_s) rate). begins: the sums are 0 before.
void exponentials(const Speed* speeds, std::size_t count, const Rows& rows, const double* least, double rate,
                  bool begins, double* w);

/// factor_s = exp(-(least_s - lowest) rate) for the first `count` of n sizes, 0 for the others and where the exponent is below -700.
void factors(const double* least, double lowest, double rate, std::size_t count, std::size_t n, double* factor);

/// The least of the first `count` of padded(count) numbers.
[[nodiscard]] double least_of(const double* numbers, std::size_t count);

/// factor_s /= by, for n sizes.
void divide(double* factor, double by, std::size_t n);

/// Sums by size of the one or two slow speeds.
struct SlowSums {
    const double* first;
    const double* second;  // or null
};
/// judged_s = share / sum_s, 0 where the sum is; offset_s += judged_s drift_s. For the first `count` sizes; those beyond, up to
/// a multiple of eight, have 0.
void judge(const SlowSums& sums, const SlowSums& drift, double share, std::size_t count, double* judged,
           double* offset);

/// Of readings whose intercept drifts slowly, and fast.
struct Weights {
    const double* slow;
    const double* fast;
};
/// sums_r = the sum over the sizes of w_slow norm_slow_s + w_fast norm_fast_s, for each row; judged += w_slow norm_judged_s.
void share_out(const Weights& w, const Rows& rows, const Weights& norm, const double* norm_judged, double* judged,
               double* sums);
/// out = w_slow norm_slow_s + w_fast norm_fast_s, total += share out, sums_r = the sum of each row of out.
void combine(const Weights& w, const Rows& rows, const Weights& norm, double share, double* out, double* total,
             double* sums);

/// The first of the least numbers in the first `columns` columns of the rows.
[[nodiscard]] std::size_t first_least(const double* numbers, const Rows& rows);

/// sums_s += sum over the rows, in their order, of a_s b_s
void add_products(const double* a, const double* b, const Rows& rows, double* sums);

/// sum of a_i b_i
[[nodiscard]] double dot(const double* a, const double* b, std::size_t n);

}  // namespace sluice::tune::kernels
