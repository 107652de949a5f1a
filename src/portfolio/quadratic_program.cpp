// quadratic_program.cpp -- runs the dual active set: chooses the next constraint and reads the solution.
//
// The turnover is as many linear constraints as there are choices of signs:
//     sum|w_i - v_i| <= B    is    s'(w - v) <= B for every s in {-1, 0, 1}^n,    v = previous
// A dual method needs only one violated constraint at a time, and the worst of these is s = sign(w - v). So nothing is split
// in two and Q stays positive definite. Where weights stay at v, several signs are active together; with multipliers l_k >= 0
//     turnover_multiplier = sum_k l_k,    trade_pull = sum_k l_k s_k
// Whether a problem can be solved at all is checked beforehand: quadratic_problem.cpp.
#include "quadratic_program.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "dual_active_set.hpp"
#include "quadratic_problem.hpp"

namespace sluice::portfolio {

namespace {

// The share of the largest weight that all weights may be wrong by.
constexpr double kRounding = 1e-14;
// The same as a share of the largest weight of the first iterate, from which the others come by differences. Corrected
// solutions are wrong by far less than 1e-16 of it; this is for weights that all end at zero, and have no size of their own.
constexpr double kVanished = 1e-20;
// A contradiction smaller than this is rounding: whether the problem can be solved was checked beforehand.
constexpr double kNearlyMet = 1e-9;
// Where the turnover is used up, a trade below this share of the weights counts as none.
constexpr double kNoTrade = 1e-11;

enum Kind : int { of_total, of_lower, of_upper, of_turnover };

struct Violation {
    Constraint constraint;
    double distance = 0.0;  // in the metric of Q
    double share = 0.0;     // of the numbers in the constraint
};

// Finds the constraint that is furthest from being met; ties go to the lowest index, and to bounds before turnover.
class ViolationFinder {
  public:
    /// Must be created while the method is at its first iterate.
    ViolationFinder(const Problem& problem, const DualActiveSet& method)
        : problem_(problem), method_(method), vanished_(kVanished * method.w().cwiseAbs().maxCoeff()) {
        const Index n = problem.c.size();
        lengths_.resize(n);
        for (Index i = 0; i < n; ++i) {
            lengths_[i] = method.length(VectorXd::Unit(n, i));
        }
    }

    /// Below this a weight counts as zero, whatever the size of the others.
    [[nodiscard]] double vanished() const noexcept { return vanished_; }

    [[nodiscard]] std::optional<Violation> worst() const {
        const VectorXd& w = method_.w();
        const double rounding = (kRounding * w.cwiseAbs().maxCoeff()) + vanished_;
        Kind kind = of_total;
        Index which = 0;
        Violation found;
        for (Index i = 0; i < w.size(); ++i) {
            for (const Kind side : {of_lower, of_upper}) {
                const double bound = side == of_lower ? problem_.lower[i] : problem_.upper[i];
                const double missing = side == of_lower ? bound - w[i] : w[i] - bound;
                const double size = std::abs(bound) + std::abs(w[i]);
                if (missing > (kMet * size) + rounding && missing / lengths_[i] > found.distance) {
                    kind = side;
                    which = i;
                    found.distance = missing / lengths_[i];
                    found.share = missing / size;
                }
            }
        }
        if (std::isfinite(problem_.turnover)) {
            const double trade = (w - problem_.previous).cwiseAbs().sum();
            const double size = w.cwiseAbs().sum() + problem_.previous.cwiseAbs().sum() + problem_.turnover;
            if (trade - problem_.turnover > (kMet * size) + (static_cast<double>(w.size()) * vanished_)) {
                Constraint cut = turnover_cut(w);
                const double distance = (trade - problem_.turnover) / method_.length(cut.normal);
                if (distance > found.distance) {
                    return Violation{.constraint = std::move(cut),
                                     .distance = distance,
                                     .share = (trade - problem_.turnover) / size};
                }
            }
        }
        if (kind == of_total) {
            return std::nullopt;
        }
        const double sign = kind == of_lower ? 1.0 : -1.0;
        found.constraint = {.normal = sign * VectorXd::Unit(w.size(), which),
                            .bound = kind == of_lower ? problem_.lower[which] : -problem_.upper[which],
                            .kind = kind,
                            .which = which};
        return found;
    }

  private:
    // s'(w - v) <= B as n'w >= b: n = -s, b = -(B + s'v)
    [[nodiscard]] Constraint turnover_cut(const VectorXd& w) const {
        const VectorXd s = (w - problem_.previous).unaryExpr([](double a) {
            return a > 0.0 ? 1.0 : a < 0.0 ? -1.0 : 0.0;
        });
        return {
            .normal = -s, .bound = -(problem_.turnover + s.dot(problem_.previous)), .kind = of_turnover, .which = 0};
    }

    const Problem& problem_;
    const DualActiveSet& method_;
    double vanished_;
    VectorXd lengths_;  // |L^-1 e_i|
};

std::vector<double> numbers(const VectorXd& v) {
    return {v.begin(), v.end()};
}

QuadraticSolution solution_of(const Problem& problem, const DualActiveSet& method, double vanished) {
    const Index n = problem.c.size();
    QuadraticSolution solution;
    solution.places.assign(static_cast<std::size_t>(n), Place::free);
    VectorXd w = method.w();
    VectorXd at_lower = VectorXd::Zero(n);
    VectorXd at_upper = VectorXd::Zero(n);
    VectorXd pull = VectorXd::Zero(n);
    bool trade_used_up = false;
    for (std::size_t k = 0; k < method.active().size(); ++k) {
        const Constraint& constraint = method.active()[k];
        const double multiplier = method.multiplier(k) * problem.unit;
        if (constraint.kind == of_total) {
            solution.total_multiplier = multiplier;
        } else if (constraint.kind == of_turnover) {
            solution.turnover_multiplier += multiplier;
            pull -= multiplier * constraint.normal;
            trade_used_up = true;
        } else {
            const bool low = constraint.kind == of_lower;
            (low ? at_lower : at_upper)[constraint.which] = multiplier;
            w[constraint.which] = low ? problem.lower[constraint.which] : problem.upper[constraint.which];
            solution.places[static_cast<std::size_t>(constraint.which)] = low ? Place::at_lower : Place::at_upper;
        }
    }
    if (std::isfinite(problem.turnover)) {
        const double trade = (w - problem.previous).cwiseAbs().sum();
        const double size = w.cwiseAbs().sum() + problem.previous.cwiseAbs().sum();
        trade_used_up = trade_used_up || problem.turnover - trade <= (kMet * size) + vanished;
    }
    if (trade_used_up) {
        const double size = w.cwiseAbs().maxCoeff() + problem.previous.cwiseAbs().maxCoeff();
        const double none = (kNoTrade * size) + vanished;
        for (Index i = 0; i < n; ++i) {
            Place& place = solution.places[static_cast<std::size_t>(i)];
            if (place == Place::free && std::abs(w[i] - problem.previous[i]) <= none) {
                w[i] = problem.previous[i];
                place = Place::at_previous;
            }
        }
    }
    w = w.cwiseMax(problem.lower).cwiseMin(problem.upper);  // by rounding only
    solution.objective = problem.unit * ((0.5 * w.dot(problem.Q * w)) - problem.c.dot(w));
    solution.weights = numbers(w);
    solution.at_lower = numbers(at_lower);
    solution.at_upper = numbers(at_upper);
    solution.trade_pull = numbers(pull);
    return solution;
}

}  // namespace

QuadraticSolution solve(const QuadraticProgram& program) {
    const Problem problem = checked(program);
    const Index n = problem.c.size();
    if (auto conflict = conflict_of(problem, program.total)) {
        return *std::move(conflict);
    }
    if (n == 0) {
        return {};
    }
    const Eigen::LLT<MatrixXd> factor(problem.Q);
    if (factor.info() != Eigen::Success) {
        return refused(QuadraticStatus::not_positive_definite, "Q is not positive definite: add a ridge");
    }
    std::optional<Constraint> equality;
    if (program.total) {
        equality = {.normal = VectorXd::Ones(n), .bound = *program.total, .kind = of_total, .which = 0};
    }
    DualActiveSet method(problem.Q, factor, problem.c, std::move(equality));
    const ViolationFinder finder(problem, method);
    const auto limit = static_cast<std::size_t>((100 * n) + 1000);
    std::size_t iterations = 0;
    bool solved = false;
    while (!solved && iterations < limit && method.w().allFinite()) {
        auto violation = finder.worst();
        if (!violation) {
            solved = true;
            break;
        }
        ++iterations;
        const double share = violation->share;
        if (!method.add(std::move(violation->constraint))) {
            solved = share <= kNearlyMet;
            break;
        }
    }
    if (!solved || !method.w().allFinite()) {
        QuadraticSolution solution =
            refused(QuadraticStatus::not_converged, fmt::format("no solution to rounding within {} steps", iterations));
        solution.iterations = iterations;
        return solution;
    }
    QuadraticSolution solution = solution_of(problem, method, finder.vanished());
    solution.iterations = iterations;
    return solution;
}

}  // namespace sluice::portfolio
