// dual_active_set.hpp -- the dual method of Goldfarb and Idnani (1983), with constraints that are found while it runs.
//
//     min_w 1/2 w'Qw - c'w   subject to   n_k'w >= b_k (or = b_k)
//
// starts from the minimum under the equality alone and adds one violated constraint after the other. The multipliers are
// never negative and the dual objective always rises, so no active set occurs twice: the method cannot cycle, even on
// degenerate problems. It needs only *some* violated constraint at each step.
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

namespace sluice::portfolio {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// n'w >= bound. `kind` and `which` are for the caller only.
struct Constraint {
    VectorXd normal;
    double bound = 0.0;
    int kind = 0;
    Index which = 0;
};

class DualActiveSet {
  public:
    /// Minimises with Q = L L' under the equality, if there is one; this is the first iterate.
    /// Q, L and c must outlive it.
    DualActiveSet(const MatrixXd& Q, const Eigen::LLT<MatrixXd>& L, const VectorXd& c,
                  std::optional<Constraint> equality);

    /// Length of n in the metric of Q^-1, |L^-1 n|: a violation divided by it is a distance that units do not change.
    [[nodiscard]] double length(const VectorXd& normal) const;

    /// Adds one violated constraint and drops those whose multipliers reach zero. False: it contradicts the active ones.
    [[nodiscard]] bool add(Constraint violated);

    [[nodiscard]] const VectorXd& w() const noexcept { return w_; }
    [[nodiscard]] const std::vector<Constraint>& active() const noexcept { return active_; }
    [[nodiscard]] double multiplier(std::size_t place) const { return u_[static_cast<Index>(place)]; }

  private:
    void append(Constraint constraint, const VectorXd& transformed);
    void drop(Index place);
    void solve_active_set();

    const MatrixXd& Q_;
    const Eigen::LLT<MatrixXd>& L_;
    const VectorXd& c_;
    Index equalities_ = 0;
    std::vector<Constraint> active_;
    MatrixXd N_;  // L^-1 n of the active constraints: the first m columns
    MatrixXd B_;  // their orthonormal basis, N = B R
    MatrixXd R_;
    VectorXd u_;  // multipliers, m
    VectorXd w_;
};

}  // namespace sluice::portfolio
