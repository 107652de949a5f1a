#include "index_weights.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "quadratic_program.hpp"

namespace sluice::portfolio {

namespace {

constexpr double kMostSlope = 2.0;   // long-only portfolios need 1.0 to 1.3; larger slopes fit noise
constexpr double kSolvable = 1e-10;  // of the mean variance, so that a stock that never moved leaves Q definite

double sum(const std::vector<double>& weights) {
    return std::accumulate(weights.begin(), weights.end(), 0.0);
}

// Slope of the index on the portfolio, through the origin.
double slope(const FewMoments& few, std::size_t k, const std::vector<double>& w) {
    double along = 0.0;
    double square = 0.0;
    for (std::size_t a = 0; a < w.size(); ++a) {
        along += few.M(a, k) * w[a];
        for (std::size_t b = 0; b < w.size(); ++b) {
            square += w[a] * few.C(a, b) * w[b];
        }
    }
    return along > 0.0 && square > 0.0 ? std::min(along / square, kMostSlope) : 1.0;
}

}  // namespace

Matrix with_ridge(const FewMoments& few, double shrinkage) {
    Matrix G = few.C;
    const std::size_t n = G.rows();
    double trace = 0.0;
    for (std::size_t j = 0; j < n; ++j) {
        trace += G(j, j);
    }
    const double least = n > 0 && trace > 0.0 ? kSolvable * trace / static_cast<double>(n) : 1.0;
    for (std::size_t j = 0; j < n; ++j) {
        G(j, j) += (few.weight > 0.0 ? shrinkage / few.weight * few.C(j, j) : 0.0) + least;
    }
    return G;
}

std::vector<double> index_weights(const FewMoments& few, std::size_t k, const TrackOptions& options,
                                  std::span<const double> held, std::optional<double> budget) {
    const std::size_t n = few.C.rows();
    if (n == 0) {
        return {};
    }
    constexpr double kFree = std::numeric_limits<double>::infinity();
    const double most = options.max_weight.value_or(kFree);
    const auto m = few.M.column(k);
    QuadraticProgram program{.Q = with_ridge(few, options.model.shrinkage),
                             .c = {m.begin(), m.end()},
                             .lower = std::vector<double>(n, options.long_only ? 0.0 : -most),
                             .upper = std::vector<double>(n, most)};
    const double all =
        std::min(1.0, most * static_cast<double>(n));  // at most one, as far as the largest weights allow
    if (options.fully_invested) {
        program.total = all;
    } else if (const QuadraticSolution first = solve(program); first.status == QuadraticStatus::solved) {
        const double s = slope(few, k, first.weights);
        std::ranges::transform(program.c, program.c.begin(), [s](double value) { return s * value; });
    }
    if (budget) {
        program.turnover = budget;
        program.previous.assign(held.begin(), held.end());
    }
    QuadraticSolution solution = solve(program);
    if (solution.status != QuadraticStatus::solved && budget) {
        program.turnover.reset();
        solution = solve(program);
    }
    if (solution.status == QuadraticStatus::solved && options.long_only && !program.total &&
        sum(solution.weights) > 1.0) {
        program.total = all;  // the sum must not exceed one, and that of the best weights does: it is set to one
        QuadraticSolution whole = solve(program);
        if (whole.status != QuadraticStatus::solved) {
            program.turnover.reset();
            whole = solve(program);
        }
        solution = std::move(whole);
    }
    if (solution.status != QuadraticStatus::solved) {
        std::vector<double> equal(n, all / static_cast<double>(n));
        return equal;
    }
    return std::move(solution.weights);
}

}  // namespace sluice::portfolio
