// quadratic_problem.hpp -- a checked quadratic program, in the shapes and units that the method works with.
#pragma once

#include <Eigen/Core>
#include <limits>
#include <optional>

#include "quadratic_program.hpp"

namespace sluice::portfolio {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// A constraint broken by less than this share of the numbers in it is met: sums of sixty numbers round to some 1e-14.
inline constexpr double kMet = 1e-12;

/// Bounds filled in, Q symmetric; Q and c divided by a power of two near the mean diagonal of Q.
struct Problem {
    MatrixXd Q;
    VectorXd c;
    VectorXd lower;
    VectorXd upper;
    VectorXd previous;
    double unit = 1.0;
    double turnover = std::numeric_limits<double>::infinity();
};

/// Throws DataError where shapes do not fit or a number is not what it must be.
[[nodiscard]] Problem checked(const QuadraticProgram& program);

[[nodiscard]] QuadraticSolution refused(QuadraticStatus status, std::string conflict);

/// The constraint that cannot be met, if any.
[[nodiscard]] std::optional<QuadraticSolution> conflict_of(const Problem& problem, std::optional<double> total);

}  // namespace sluice::portfolio
