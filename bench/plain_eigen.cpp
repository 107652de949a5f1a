// plain_eigen.cpp -- the peer: Algorithm 2 as a competent engineer writes it in an afternoon with Eigen.
#include "plain_eigen.hpp"

// Compiled for AVX2, Eigen's functions differ from those that the library has compiled for any processor: under a name of
// their own the linker cannot mix them up.
#define Eigen EigenOfThePeer
#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

namespace sluice::bench {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

struct PlainEigen::Impl {
    Impl(Index p, Index q, const StreamOptions& o)
        : options(o),
          C(MatrixXd::Zero(p, p)),
          M(MatrixXd::Zero(p, q)),
          mean_x(VectorXd::Zero(p)),
          mean_y(VectorXd::Zero(q)),
          square_y(VectorXd::Zero(q)),
          U(MatrixXd::Identity(p, static_cast<Index>(o.components_for(static_cast<std::size_t>(p))))),
          beta(MatrixXd::Zero(p, q)),
          beta_scaled(beta) {}

    void learn(const VectorXd& x, const VectorXd& y);
    [[nodiscard]] VectorXd threshold(VectorXd a, std::size_t keep) const;
    void project(const VectorXd& d, const MatrixXd& Ms);
    void refit(const VectorXd& d, const MatrixXd& Ms);

    StreamOptions options;
    double n = 0.0;
    MatrixXd C;
    MatrixXd M;
    VectorXd mean_x;
    VectorXd mean_y;
    VectorXd square_y;
    MatrixXd U;
    MatrixXd beta;
    MatrixXd beta_scaled;
};

void PlainEigen::Impl::learn(const VectorXd& x, const VectorXd& y) {
    const double lambda = options.forgetting;
    const double before = lambda * n;
    n = before + 1.0;
    const VectorXd dx = x - mean_x;
    const VectorXd dy = y - mean_y;
    mean_x += dx / n;
    mean_y += dy / n;
    C *= lambda;
    C.noalias() += before / n * dx * dx.transpose();
    M *= lambda;
    M.noalias() += before / n * dx * dy.transpose();
    square_y = lambda * square_y + before / n * dy.cwiseAbs2();
    if (before == 0.0) {
        return;
    }
    VectorXd d = VectorXd::Ones(x.size());
    VectorXd e = VectorXd::Ones(y.size());
    if (options.scale_inputs) {
        d = C.diagonal().cwiseSqrt().cwiseInverse();
    }
    if (options.scale_outputs) {
        e = square_y.cwiseSqrt().cwiseInverse();
    }
    const MatrixXd Ms = d.asDiagonal() * M * e.asDiagonal();
    if (options.deflation == Deflation::project) {
        project(d, Ms);
    } else {
        refit(d, Ms);
    }
    beta = d.asDiagonal() * beta_scaled * e.cwiseInverse().asDiagonal();
}

VectorXd PlainEigen::Impl::threshold(VectorXd a, std::size_t keep) const {
    a.normalize();
    std::vector<double> sizes(static_cast<std::size_t>(a.size()));
    Eigen::Map<VectorXd>(sizes.data(), a.size()) = a.cwiseAbs();
    std::ranges::sort(sizes, std::greater{});
    double gamma = keep < sizes.size() ? sizes[keep] : 0.0;
    const double cut = gamma;
    if (keep < sizes.size() && sizes[keep - 1] <= cut * (1.0 + 1e-12)) {  // a tie, as all are after two scaled rows
        const auto below = std::ranges::find_if(sizes, [&](double size) { return size < cut * (1.0 - 1e-12); });
        gamma = below != sizes.end() ? *below : 0.0;
    }
    VectorXd u = VectorXd::Zero(a.size());
    auto ties = static_cast<std::ptrdiff_t>(keep) -
                std::ranges::count_if(sizes, [&](double size) { return size > cut * (1.0 + 1e-12); });
    for (Index j = 0; j < a.size(); ++j) {
        const double size = std::abs(a(j));
        if (size > cut * (1.0 + 1e-12) || (size >= cut * (1.0 - 1e-12) && gamma < cut && ties-- > 0)) {
            u(j) = std::copysign(size - gamma, a(j));
        }
    }
    u.normalize();
    return u;
}

void PlainEigen::Impl::project(const VectorXd& d, const MatrixXd& Ms) {
    const double alpha = options.ridge;
    const double trace = C.diagonal().cwiseProduct(d.cwiseAbs2()).sum();
    const double square = Ms.squaredNorm();
    for (Index r = 0; r < U.cols(); ++r) {
        VectorXd a = alpha / trace * d.cwiseProduct(C * d.cwiseProduct(U.col(r))) +
                     (1.0 - alpha) / square * (Ms * (Ms.transpose() * U.col(r)));
        if (r > 0) {
            const MatrixXd Q =
                Eigen::HouseholderQR<MatrixXd>(U.leftCols(r)).householderQ() * MatrixXd::Identity(U.rows(), r);
            a -= Q * (Q.transpose() * a).eval();
        }
        U.col(r) = threshold(a, options.keep_for(static_cast<std::size_t>(r), static_cast<std::size_t>(U.rows())));
    }
    const MatrixXd DU = d.asDiagonal() * U;
    const MatrixXd A = DU.transpose() * C * DU;
    beta_scaled.noalias() = U * A.completeOrthogonalDecomposition().solve(U.transpose() * Ms);
}

void PlainEigen::Impl::refit(const VectorXd& d, const MatrixXd& Ms) {
    const double alpha = options.ridge;
    const double trace = C.diagonal().cwiseProduct(d.cwiseAbs2()).sum();
    MatrixXd left = Ms;
    std::vector<Index> S;
    for (Index r = 0; r < U.cols(); ++r) {
        VectorXd a = alpha / trace * d.cwiseProduct(C * d.cwiseProduct(U.col(r))) +
                     (1.0 - alpha) / left.squaredNorm() * (left * (left.transpose() * U.col(r)));
        for (const Index j : S) {
            a(j) = 0.0;
        }
        U.col(r) = threshold(a, options.keep_for(static_cast<std::size_t>(r), static_cast<std::size_t>(U.rows())));
        for (Index j = 0; j < U.rows(); ++j) {
            if (U(j, r) != 0.0) {
                S.push_back(j);
            }
        }
        const VectorXd d_S = d(S);
        MatrixXd A = d_S.asDiagonal() * C(S, S) * d_S.asDiagonal();
        A.diagonal().array() += options.shrinkage / n * A.diagonal().mean();
        const MatrixXd solved = A.llt().solve(Ms(S, Eigen::all));
        left = Ms - d.asDiagonal() * (C(Eigen::all, S) * (d_S.asDiagonal() * solved));
        beta_scaled.setZero();
        for (std::size_t i = 0; i < S.size(); ++i) {
            beta_scaled.row(S[i]) = solved.row(static_cast<Index>(i));
        }
    }
}

namespace {

Eigen::Map<const VectorXd> as_eigen(std::span<const double> v) {
    return {v.data(), static_cast<Index>(v.size())};
}

}  // namespace

PlainEigen::PlainEigen(std::size_t inputs, std::size_t outputs, const StreamOptions& options)
    : impl_(std::make_unique<Impl>(static_cast<Index>(inputs), static_cast<Index>(outputs), options)) {}
PlainEigen::~PlainEigen() = default;

bool PlainEigen::runs_here() {
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
#else
    return true;
#endif
}

std::size_t PlainEigen::bytes_for(std::size_t inputs) {
    return inputs * inputs * sizeof(double);
}

void PlainEigen::learn(std::span<const double> x, std::span<const double> y) {
    impl_->learn(as_eigen(x), as_eigen(y));
}

void PlainEigen::predict(std::span<const double> x, std::span<double> y) const {
    Eigen::Map<VectorXd>(y.data(), static_cast<Index>(y.size())) =
        impl_->mean_y + impl_->beta.transpose() * (as_eigen(x) - impl_->mean_x);
}

}  // namespace sluice::bench
