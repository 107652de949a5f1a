// quadratic_problem.cpp -- checks a problem, and whether it can be solved at all.
//
// The point of least trade within the bounds is v = previous, clamped to them; to reach `total` from there costs as much trade
// as is missing, because a weight below v is at its upper bound and cannot be raised. So the least turnover is
//     sum|clamp(v) - v| + |total - sum clamp(v)|
#include "quadratic_problem.hpp"

#include <fmt/core.h>

#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "sluice/error.hpp"

namespace sluice::portfolio {

namespace {

constexpr double kNoBound = std::numeric_limits<double>::infinity();

// `allowed` is the infinity that means "no bound", or 0.
void check_numbers(std::span<const double> values, std::size_t n, const char* name, double allowed) {
    if (values.size() != n) {
        throw DataError(fmt::format("{} has {} numbers: must have {}, as c", name, values.size(), n));
    }
    for (std::size_t i = 0; i < n; ++i) {
        const bool allowed_here = std::isfinite(values[i]) || (allowed != 0.0 && values[i] == allowed);
        if (!allowed_here) {
            throw DataError(fmt::format("{}[{}] is {}: must be finite{}", name, i, values[i],
                                        allowed > 0.0   ? ", or inf where there is none"
                                        : allowed < 0.0 ? ", or -inf where there is none"
                                                        : ""));
        }
    }
}

VectorXd vector_of(const std::vector<double>& values, Index n, double otherwise) {
    if (values.empty()) {
        return VectorXd::Constant(n, otherwise);
    }
    return Eigen::Map<const VectorXd>(values.data(), n);
}

}  // namespace

Problem checked(const QuadraticProgram& program) {
    const std::size_t size = program.c.size();
    if (program.Q.rows() != size || program.Q.cols() != size) {
        throw DataError(fmt::format("Q is {} x {}: must be {} x {}, as c has {} numbers", program.Q.rows(),
                                    program.Q.cols(), size, size, size));
    }
    check_numbers(program.c, size, "c", 0.0);
    for (std::size_t i = 0; i < size; ++i) {
        check_numbers(program.Q.column(i), size, "a column of Q", 0.0);
    }
    if (!program.lower.empty()) {
        check_numbers(program.lower, size, "lower", -kNoBound);
    }
    if (!program.upper.empty()) {
        check_numbers(program.upper, size, "upper", kNoBound);
    }
    if (program.total && !std::isfinite(*program.total)) {
        throw DataError(fmt::format("total is {}: must be finite", *program.total));
    }
    if (program.turnover) {
        if (!(*program.turnover >= 0.0)) {
            throw DataError(fmt::format("turnover is {}: must be 0 or more", *program.turnover));
        }
        check_numbers(program.previous, size, "previous", 0.0);
    }
    const auto n = static_cast<Index>(size);
    Problem problem;
    const Eigen::Map<const MatrixXd> Q(program.Q.data(), n, n);
    const double diagonal = n > 0 ? (Q.diagonal() / static_cast<double>(n)).sum() : 0.0;
    problem.unit = diagonal > 0.0 ? std::ldexp(1.0, std::ilogb(diagonal)) : 1.0;
    problem.Q = (0.5 / problem.unit) * Q + (0.5 / problem.unit) * Q.transpose();
    problem.c = vector_of(program.c, n, 0.0) / problem.unit;
    problem.lower = vector_of(program.lower, n, -kNoBound);
    problem.upper = vector_of(program.upper, n, kNoBound);
    if (program.turnover && std::isfinite(*program.turnover)) {
        problem.turnover = *program.turnover;
        problem.previous = vector_of(program.previous, n, 0.0);
    }
    return problem;
}

QuadraticSolution refused(QuadraticStatus status, std::string conflict) {
    QuadraticSolution solution;
    solution.status = status;
    solution.conflict = std::move(conflict);
    return solution;
}

std::optional<QuadraticSolution> conflict_of(const Problem& problem, std::optional<double> total) {
    for (Index i = 0; i < problem.c.size(); ++i) {
        if (problem.lower[i] > problem.upper[i]) {
            return refused(QuadraticStatus::bounds_conflict,
                           fmt::format("weight {}: its lower bound {} is above its upper bound {}", i, problem.lower[i],
                                       problem.upper[i]));
        }
    }
    const auto above = [](double a, double b) { return a - b > kMet * (std::abs(a) + std::abs(b)); };
    if (total && above(problem.lower.sum(), *total)) {
        return refused(QuadraticStatus::total_out_of_reach,
                       fmt::format("total = {}: the lower bounds add up to {}", *total, problem.lower.sum()));
    }
    if (total && above(*total, problem.upper.sum())) {
        return refused(QuadraticStatus::total_out_of_reach,
                       fmt::format("total = {}: the upper bounds add up to {}", *total, problem.upper.sum()));
    }
    if (std::isfinite(problem.turnover)) {
        const VectorXd nearest = problem.previous.cwiseMax(problem.lower).cwiseMin(problem.upper);
        double needed = (nearest - problem.previous).cwiseAbs().sum();
        double size = problem.previous.cwiseAbs().sum() + nearest.cwiseAbs().sum();
        if (total) {
            needed += std::abs(*total - nearest.sum());
            size += std::abs(*total);
        }
        if (needed - problem.turnover > kMet * (problem.turnover + size)) {
            return refused(QuadraticStatus::turnover_too_small,
                           fmt::format("turnover = {}: to meet {} takes {} at least", problem.turnover,
                                       total ? "the bounds and the total" : "the bounds", needed));
        }
    }
    return std::nullopt;
}

}  // namespace sluice::portfolio
