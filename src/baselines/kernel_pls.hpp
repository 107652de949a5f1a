// kernel_pls.hpp -- PLS from second moments alone: the improved kernel algorithm of Dayal and MacGregor (1997).
//
//     for a = 1 .. A:
//         w_a = weight vector found in M_a, of unit length              PLS: the first left singular vector of M_a
//         r_a = w_a - sum_{i<a} (p_i'w_a) r_i                           so that t_a = X r_a = X_a w_a
//         p_a = C r_a / (r_a'C r_a),   c_a = M_a'r_a / (r_a'C r_a)
//         M_{a+1} = M_a - (r_a'C r_a) p_a c_a'                          only M is deflated, C is not
//     B = sum_a r_a c_a'
//
//   code     letter   size    meaning
//   C        X'X      p x p   moments among inputs: `times(v)` returns C v
//   M        X'Y      p x q   moments of inputs with outputs, deflated
//   w        w_a      p       weights: of the deflated inputs
//   r        r_a      p       rotations: of the inputs themselves
//   P, Q     p_a, c_a p, q    loadings of inputs and outputs
//   t2       t_a't_a  1       square of the score
//
// M_a may be deflated alone because X_a'Y_a = X_a'Y. That holds for any weights w_a, so sparse PLS is the same algorithm
// with another rule for w_a.
#pragma once

#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <cmath>

namespace sluice::baselines {

// What is left of M below this share of M at first is rounding. C and M are correlations here, rounded at 1e-15 or so;
// deflation takes differences of them.
inline constexpr double kPlsResolution = 1e-11;
// A score with less than this share of the square of its weights does not vary: its inputs are copies of each other.
inline constexpr double kNoScore = 1e-12;

/// First right singular vector of M, of unit length, its largest entry positive. M: p x q.
inline Eigen::VectorXd leading_right_vector(const Eigen::MatrixXd& M) {
    if (M.cols() == 1) {
        return Eigen::VectorXd::Ones(1);
    }
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(M.transpose() * M);
    Eigen::VectorXd v = eigen.eigenvectors().col(M.cols() - 1);
    Eigen::Index at = 0;
    v.cwiseAbs().maxCoeff(&at);
    return v[at] < 0.0 ? Eigen::VectorXd(-v) : v;
}

/// B, p x q. weights(M) returns w_a, of unit length; times(r) returns C r.
template <typename Weights, typename Times>
Eigen::MatrixXd kernel_pls(Eigen::MatrixXd M, Eigen::Index components, Weights weights, Times times) {
    Eigen::MatrixXd B = Eigen::MatrixXd::Zero(M.rows(), M.cols());
    Eigen::MatrixXd R(M.rows(), components);
    Eigen::MatrixXd P(M.rows(), components);
    const double nothing = kPlsResolution * M.norm();
    for (Eigen::Index a = 0; a < components && M.norm() > nothing; ++a) {
        const Eigen::VectorXd w = weights(M);
        Eigen::VectorXd r = w;
        for (Eigen::Index i = 0; i < a; ++i) {
            r -= P.col(i).dot(w) * R.col(i);
        }
        const Eigen::VectorXd Cr = times(r);
        const double t2 = r.dot(Cr);
        if (!(t2 > kNoScore * r.squaredNorm())) {
            break;
        }
        const Eigen::VectorXd c = M.transpose() * r / t2;
        M.noalias() -= Cr * c.transpose();
        B.noalias() += r * c.transpose();
        R.col(a) = r;
        P.col(a) = Cr / t2;
    }
    return B;
}

}  // namespace sluice::baselines
