// plain_eigen.hpp -- the peer: Algorithm 2 as a competent engineer writes it in an afternoon with Eigen.
//
// Dense C, full rank-one update, dense products with U, H not formed; lasso threshold by sorting. Centred, trace balance,
// weighted loadings: the same results as StreamOptions::paper().
#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <vector>

namespace sluice::bench {

class PlainEigen {
  public:
    PlainEigen(Eigen::Index p, Eigen::Index q, Eigen::Index R, Eigen::Index keep, double forgetting, double ridge)
        : keep_(keep),
          lambda_(forgetting),
          alpha_(ridge),
          C_(Eigen::MatrixXd::Zero(p, p)),
          M_(Eigen::MatrixXd::Zero(p, q)),
          mean_x_(Eigen::VectorXd::Zero(p)),
          mean_y_(Eigen::VectorXd::Zero(q)),
          U_(Eigen::MatrixXd::Identity(p, R)),
          beta_(Eigen::MatrixXd::Zero(p, q)) {}

    void learn(const Eigen::VectorXd& x, const Eigen::VectorXd& y) {
        const double before = lambda_ * n_;
        n_ = before + 1.0;
        const Eigen::VectorXd dx = x - mean_x_;
        const Eigen::VectorXd dy = y - mean_y_;
        mean_x_ += dx / n_;
        mean_y_ += dy / n_;
        C_ *= lambda_;
        C_.noalias() += before / n_ * dx * dx.transpose();
        M_ *= lambda_;
        M_.noalias() += before / n_ * dx * dy.transpose();
        if (before == 0.0) {
            return;
        }
        const double trace = C_.trace();
        const double square = M_.squaredNorm();
        for (Eigen::Index r = 0; r < U_.cols(); ++r) {
            Eigen::VectorXd a =
                alpha_ / trace * (C_ * U_.col(r)) + (1.0 - alpha_) / square * (M_ * (M_.transpose() * U_.col(r)));
            if (r > 0) {
                const Eigen::MatrixXd Q = Eigen::HouseholderQR<Eigen::MatrixXd>(U_.leftCols(r)).householderQ() *
                                          Eigen::MatrixXd::Identity(U_.rows(), r);
                a -= Q * (Q.transpose() * a).eval();
            }
            a.normalize();
            std::vector<double> sizes(static_cast<std::size_t>(a.size()));
            Eigen::Map<Eigen::VectorXd>(sizes.data(), a.size()) = a.cwiseAbs();
            std::ranges::sort(sizes, std::greater{});
            const double gamma = keep_ < a.size() ? sizes[static_cast<std::size_t>(keep_)] : 0.0;
            U_.col(r) = a.unaryExpr([&](double z) { return std::copysign(std::max(std::abs(z) - gamma, 0.0), z); });
            U_.col(r).normalize();
        }
        const Eigen::MatrixXd A = U_.transpose() * C_ * U_;
        const Eigen::MatrixXd W = A.completeOrthogonalDecomposition().solve(U_.transpose() * M_);
        beta_.noalias() = U_ * W;
    }

    [[nodiscard]] Eigen::VectorXd predict(const Eigen::VectorXd& x) const {
        return mean_y_ + beta_.transpose() * (x - mean_x_);
    }

  private:
    Eigen::Index keep_;
    double lambda_;
    double alpha_;
    double n_ = 0.0;
    Eigen::MatrixXd C_;
    Eigen::MatrixXd M_;
    Eigen::VectorXd mean_x_;
    Eigen::VectorXd mean_y_;
    Eigen::MatrixXd U_;
    Eigen::MatrixXd beta_;
};

}  // namespace sluice::bench
