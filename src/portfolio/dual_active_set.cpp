// dual_active_set.cpp -- see dual_active_set.hpp.
//
// In the coordinates z = L'w, with Q = L L', the objective is 1/2 |z - L^-1 c|^2 and a normal n becomes L^-1 n:
//
//     z = L^-1 c + N u,   N'z = b                                  the minimum on the active constraints
//     r = argmin |N r - n|,   d = n - N r                          a new normal n, split along and across the active ones
//     z += t d,   u -= t r,   u_new += t                           keeps the active constraints, for any t
//     t_full = violation / d'd                                     the new constraint holds
//     t_part = min u_k / r_k over r_k > 0                          a multiplier reaches zero: constraint k is dropped
//
// N = B R is updated: n m operations to add or to drop a constraint. After each full step u and w are solved again from the
// active set and corrected twice by the residual of the equations: rounding errors do not accumulate, and the result depends
// only on the final set. Without the corrections a nearly singular Q (condition 1e8) left a residual of 1e-9 in Q w - c, and
// the bounds of duplicate assets never counted as met.
#include "dual_active_set.hpp"

#include <Eigen/Jacobi>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace sluice::portfolio {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
// |d| / |n| below this: the new normal is a combination of the active ones. Gram-Schmidt done twice leaves 1e-15, L^-1 n
// has an error of 1e-16 sqrt(condition of Q), and duplicate assets with a ridge of 1e-10 leave 1e-5 where they differ.
constexpr double kDependent = 1e-11;

}  // namespace

DualActiveSet::DualActiveSet(const MatrixXd& Q, const Eigen::LLT<MatrixXd>& L, const VectorXd& c,
                             std::optional<Constraint> equality)
    : Q_(Q), L_(L), c_(c), N_(c.size(), c.size()), B_(c.size(), c.size()), R_(c.size(), c.size()) {
    R_.setZero();
    if (equality) {
        const VectorXd transformed = L_.matrixL().solve(equality->normal);
        append(*std::move(equality), transformed);
        equalities_ = 1;
    }
    solve_active_set();
}

double DualActiveSet::length(const VectorXd& normal) const {
    return L_.matrixL().solve(normal).norm();
}

// N = B R gets one more column, by Gram-Schmidt done twice.
void DualActiveSet::append(Constraint constraint, const VectorXd& transformed) {
    const auto m = static_cast<Index>(active_.size());
    active_.push_back(std::move(constraint));
    N_.col(m) = transformed;
    VectorXd rest = transformed;
    R_.col(m).setZero();
    for (int pass = 0; pass < 2; ++pass) {
        const VectorXd along = B_.leftCols(m).transpose() * rest;
        rest -= B_.leftCols(m) * along;
        R_.col(m).head(m) += along;
    }
    R_(m, m) = rest.norm();
    B_.col(m) = rest / R_(m, m);
}

// Without column `place` each later column of R has one entry below the diagonal: a rotation of rows k and k + 1 removes it,
// and B R does not change if the columns of B are rotated the other way.
void DualActiveSet::drop(Index place) {
    const auto m = static_cast<Index>(active_.size());
    active_.erase(active_.begin() + place);
    for (Index k = place; k + 1 < m; ++k) {
        N_.col(k) = N_.col(k + 1);
        R_.col(k) = R_.col(k + 1);
        u_[k] = u_[k + 1];
    }
    u_.conservativeResize(m - 1);
    for (Index k = place; k + 1 < m; ++k) {
        Eigen::JacobiRotation<double> rotation;
        rotation.makeGivens(R_(k, k), R_(k + 1, k));
        R_.middleCols(k, m - 1 - k).applyOnTheLeft(k, k + 1, rotation.adjoint());
        R_(k + 1, k) = 0.0;
        B_.applyOnTheRight(k, k + 1, rotation);
    }
}

// The minimum on the active constraints: Q w - N u = c, N'w = b, here with N in the coordinates of w. Solved from zero, then
// twice for the residual of both equations.
void DualActiveSet::solve_active_set() {
    const auto m = static_cast<Index>(active_.size());
    const auto R = R_.topLeftCorner(m, m).triangularView<Eigen::Upper>();
    const auto N = N_.leftCols(m);
    u_ = VectorXd::Zero(m);
    w_ = VectorXd::Zero(c_.size());
    for (int pass = 0; pass < 3; ++pass) {
        VectorXd rest = c_ - (Q_ * w_);
        VectorXd missing(m);
        for (Index k = 0; k < m; ++k) {
            const Constraint& constraint = active_[static_cast<std::size_t>(k)];
            rest += u_[k] * constraint.normal;
            missing[k] = constraint.bound - constraint.normal.dot(w_);
        }
        const VectorXd y = L_.matrixL().solve(rest);
        missing -= N.transpose() * y;
        R.transpose().solveInPlace(missing);
        R.solveInPlace(missing);
        u_ += missing;
        w_ += L_.matrixU().solve(y + (N * missing));
    }
    for (Index k = equalities_; k < m; ++k) {
        u_[k] = std::max(u_[k], 0.0);  // below zero by rounding only
    }
}

bool DualActiveSet::add(Constraint violated) {
    const VectorXd n = L_.matrixL().solve(violated.normal);
    while (true) {
        const auto m = static_cast<Index>(active_.size());
        const auto B = B_.leftCols(m);
        VectorXd r = B.transpose() * n;
        VectorXd d = n - (B * r);
        const VectorXd again = B.transpose() * d;
        d -= B * again;
        r += again;
        R_.topLeftCorner(m, m).triangularView<Eigen::Upper>().solveInPlace(r);

        double t_part = infinity;
        Index dropped = m;
        for (Index k = equalities_; k < m; ++k) {
            if (r[k] > 0.0 && u_[k] / r[k] < t_part) {  // ties: the one that was added first
                t_part = u_[k] / r[k];
                dropped = k;
            }
        }
        const bool independent = m < n.size() && d.norm() > kDependent * n.norm();
        const double violation = violated.bound - violated.normal.dot(w_);
        const double t_full = independent ? std::max(violation, 0.0) / d.squaredNorm() : infinity;
        if (t_full <= t_part && independent) {
            append(std::move(violated), n);
            solve_active_set();
            return true;
        }
        if (dropped == m) {
            return false;
        }
        u_ -= t_part * r;
        for (Index k = equalities_; k < m; ++k) {
            u_[k] = std::max(u_[k], 0.0);
        }
        if (independent) {
            w_ += t_part * L_.matrixU().solve(d);
        }
        drop(dropped);
    }
}

}  // namespace sluice::portfolio
