// quadratic_program.hpp -- the small convex problem behind every portfolio.
//
//     min_w  1/2 w'Qw - c'w
//     lower_i <= w_i <= upper_i,   sum(w) = total,   sum|w_i - previous_i| <= turnover
//
// The last two where they are asked for. Q is symmetric and positive definite, some sixty assets. The solution is exact to
// rounding, with the multipliers that prove it:
//
//     Q w - c = at_lower - at_upper + total_multiplier - trade_pull                                    stationarity
//     at_lower_i >= 0, > 0 only where w_i = lower_i; at_upper_i in the same way
//     |trade_pull_i| <= turnover_multiplier, = sign(w_i - previous_i) turnover_multiplier where w_i is not previous_i
//     turnover_multiplier >= 0, > 0 only where the turnover is used up
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sluice/matrix.hpp"

namespace sluice::portfolio {

struct QuadraticProgram {
    Matrix Q;                                       ///< n x n; of an unsymmetric one the symmetric part counts
    std::vector<double> c;                          ///< n
    std::vector<double> lower = {};                 ///< n, may be -inf. Left empty: no lower bounds.
    std::vector<double> upper = {};                 ///< n, may be +inf. Left empty: no upper bounds.
    std::optional<double> total = std::nullopt;     ///< sum(w). Left empty: free.
    std::optional<double> turnover = std::nullopt;  ///< 0 or more, +inf allowed. Left empty: free.
    std::vector<double> previous = {};              ///< n, where turnover is given
};

enum class QuadraticStatus {
    solved,
    bounds_conflict,        ///< a lower bound above its upper bound
    total_out_of_reach,     ///< the bounds do not allow sum(w) = total
    turnover_too_small,     ///< bounds and total ask for more trade than allowed
    not_positive_definite,  ///< Q has no Cholesky factor: add a ridge
    not_converged,          ///< rounding prevents a solution: Q is singular to rounding
};

/// Whether a weight is at one of its bounds.
enum class Place { free, at_lower, at_upper, at_previous };

struct QuadraticSolution {
    QuadraticStatus status = QuadraticStatus::solved;
    std::string conflict = {};         ///< one sentence with the numbers; empty when solved
    std::vector<double> weights = {};  ///< empty unless solved
    double objective = 0.0;            ///< 1/2 w'Qw - c'w
    std::vector<Place> places = {};    ///< of each weight; at_previous only where the turnover is used up
    std::vector<double> at_lower = {};
    std::vector<double> at_upper = {};
    double total_multiplier = 0.0;
    double turnover_multiplier = 0.0;
    std::vector<double> trade_pull = {};
    std::size_t iterations = 0;
};

/// Throws DataError where shapes do not fit or a number is not what it must be. Same problem, same bits.
[[nodiscard]] QuadraticSolution solve(const QuadraticProgram& program);

}  // namespace sluice::portfolio
