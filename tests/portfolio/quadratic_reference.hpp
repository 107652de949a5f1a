// quadratic_reference.hpp -- two judges of a quadratic program's solution, neither of which knows how it was found.
#pragma once

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <Eigen/QR>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "quadratic_program.hpp"

namespace sluice::test {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

inline VectorXd as_vector(const std::vector<double>& values) {
    return Eigen::Map<const VectorXd>(values.data(), static_cast<Index>(values.size()));
}

inline MatrixXd as_eigen(const Matrix& m) {
    return Eigen::Map<const MatrixXd>(m.data(), static_cast<Index>(m.rows()), static_cast<Index>(m.cols()));
}

/// By how much w breaks the constraints, at worst.
inline double worst_violation(const portfolio::QuadraticProgram& problem, const VectorXd& w) {
    double worst = 0.0;
    if (!problem.lower.empty()) {
        worst = std::max(worst, (as_vector(problem.lower) - w).maxCoeff());
    }
    if (!problem.upper.empty()) {
        worst = std::max(worst, (w - as_vector(problem.upper)).maxCoeff());
    }
    if (problem.total) {
        worst = std::max(worst, std::abs(w.sum() - *problem.total));
    }
    if (problem.turnover) {
        worst = std::max(worst, (w - as_vector(problem.previous)).cwiseAbs().sum() - *problem.turnover);
    }
    return worst;
}

inline double objective(const portfolio::QuadraticProgram& problem, const VectorXd& w) {
    return (0.5 * w.dot(as_eigen(problem.Q) * w)) - as_vector(problem.c).dot(w);
}

/// Tries every way in which each weight may be free, at a bound, or at its previous value, with the turnover idle or used
/// up: the least objective among those that meet all constraints. Nothing where none does. For five weights at most.
inline std::optional<VectorXd> by_brute_force(const portfolio::QuadraticProgram& problem, double tolerance) {
    enum Stand { below, above, at_previous, at_lower, at_upper };
    const MatrixXd Q = as_eigen(problem.Q);
    const Index n = Q.rows();
    std::optional<VectorXd> best;
    const auto infinite = VectorXd::Constant(n, std::numeric_limits<double>::infinity());
    const VectorXd lower = problem.lower.empty() ? VectorXd(-infinite) : as_vector(problem.lower);
    const VectorXd upper = problem.upper.empty() ? VectorXd(infinite) : as_vector(problem.upper);
    std::vector<int> stand(static_cast<std::size_t>(n), 0);
    for (const bool used_up : {false, true}) {
        if (used_up && !problem.turnover) {
            continue;
        }
        const std::array<int, 5> all = {below, above, at_previous, at_lower, at_upper};
        const std::array<int, 3> idle = {above, at_lower, at_upper};
        const int choices = used_up ? 5 : 3;
        long patterns = 1;
        for (Index i = 0; i < n; ++i) {
            patterns *= choices;
        }
        for (long pattern = 0; pattern < patterns; ++pattern) {
            long rest = pattern;
            bool possible = true;
            // [Q_FF E'; E 0] [w_F; m] = [c_F - Q_FX w_X; e]: written with all weights, fixed ones by rows of their own
            std::vector<VectorXd> rows;
            std::vector<double> sides;
            VectorXd s = VectorXd::Zero(n);
            for (Index i = 0; i < n; ++i) {
                const auto at = static_cast<std::size_t>(rest % choices);
                const int state = used_up ? all.at(at) : idle.at(at);
                rest /= choices;
                if (state == above || state == below) {
                    s[i] = state == above ? 1.0 : -1.0;
                    continue;
                }
                const double value = state == at_lower   ? lower[i]
                                     : state == at_upper ? upper[i]
                                                         : problem.previous[static_cast<std::size_t>(i)];
                possible = possible && std::isfinite(value);
                if (used_up && possible) {
                    s[i] = value >= problem.previous[static_cast<std::size_t>(i)] ? 1.0 : -1.0;
                }
                rows.emplace_back(VectorXd::Unit(n, i));
                sides.push_back(value);
            }
            if (!possible) {
                continue;
            }
            if (problem.total) {
                rows.emplace_back(VectorXd::Ones(n));
                sides.push_back(*problem.total);
            }
            if (used_up) {
                rows.push_back(s);
                sides.push_back(*problem.turnover + s.dot(as_vector(problem.previous)));
            }
            const auto m = static_cast<Index>(rows.size());
            MatrixXd K = MatrixXd::Zero(n + m, n + m);
            VectorXd side(n + m);
            K.topLeftCorner(n, n) = Q;
            side.head(n) = as_vector(problem.c);
            for (Index k = 0; k < m; ++k) {
                K.col(n + k).head(n) = rows[static_cast<std::size_t>(k)];
                K.row(n + k).head(n) = rows[static_cast<std::size_t>(k)].transpose();
                side[n + k] = sides[static_cast<std::size_t>(k)];
            }
            const VectorXd w = K.completeOrthogonalDecomposition().solve(side).head(n);
            if (worst_violation(problem, w) <= tolerance &&
                (!best || objective(problem, w) < objective(problem, *best))) {
                best = w;
            }
        }
    }
    return best;
}

/// The four conditions of quadratic_program.hpp. `unit` is the size of the multipliers, `size` that of the weights.
inline void expect_optimal(const portfolio::QuadraticProgram& problem, const portfolio::QuadraticSolution& solution,
                           double tolerance) {
    ASSERT_EQ(solution.status, portfolio::QuadraticStatus::solved) << solution.conflict;
    const MatrixXd Q = as_eigen(problem.Q);
    const VectorXd c = as_vector(problem.c);
    const VectorXd w = as_vector(solution.weights);
    const VectorXd at_lower = as_vector(solution.at_lower);
    const VectorXd at_upper = as_vector(solution.at_upper);
    const VectorXd pull = as_vector(solution.trade_pull);
    const Index n = w.size();
    ASSERT_TRUE(w.allFinite());
    const double size =
        tolerance * (1e-300 + w.cwiseAbs().maxCoeff() +
                     (problem.previous.empty() ? 0.0 : as_vector(problem.previous).cwiseAbs().maxCoeff()));
    const double unit = tolerance * ((Q.cwiseAbs() * w.cwiseAbs()).maxCoeff() + c.cwiseAbs().maxCoeff());
    EXPECT_LE(worst_violation(problem, w), static_cast<double>(n) * size);
    const VectorXd left = Q * w - c - at_lower + at_upper - VectorXd::Constant(n, solution.total_multiplier) + pull;
    EXPECT_LE(left.cwiseAbs().maxCoeff(), unit);
    EXPECT_TRUE(problem.total || solution.total_multiplier == 0.0);
    EXPECT_GE(solution.turnover_multiplier, 0.0);
    for (Index i = 0; i < n; ++i) {
        const auto at = static_cast<std::size_t>(i);
        EXPECT_GE(at_lower[i], 0.0);
        EXPECT_GE(at_upper[i], 0.0);
        EXPECT_TRUE(at_lower[i] == 0.0 || w[i] == problem.lower.at(at)) << i;
        EXPECT_TRUE(at_upper[i] == 0.0 || w[i] == problem.upper.at(at)) << i;
        EXPECT_LE(std::abs(pull[i]), solution.turnover_multiplier + unit);
        if (solution.turnover_multiplier > 0.0 && std::abs(w[i] - problem.previous.at(at)) > 10.0 * size) {
            const double sign = w[i] > problem.previous.at(at) ? 1.0 : -1.0;
            EXPECT_NEAR(pull[i], sign * solution.turnover_multiplier, unit) << i;
        }
    }
    if (solution.turnover_multiplier > 0.0) {
        EXPECT_NEAR((w - as_vector(problem.previous)).cwiseAbs().sum(), problem.turnover.value(),
                    static_cast<double>(n) * size);
    }
}

}  // namespace sluice::test
