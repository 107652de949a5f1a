// thin_svd.cpp -- Householder's QR decomposition, and Jacobi rotations of the triangle.
//
//     A = Q R,   R' = S diag(d) T',   so that A = (Q T) diag(d) S'            (n >= p; else the same of A')
//     Q = H_1 ... H_p,   H_j = I - tau_j h_j h_j',   h_j = [0 ... 0, 1, v_j]
//
//   code      size    meaning
//   A         n x p
//   R         p x p   upper triangular
//   S, T      p x p   orthogonal
//   factors   n x p   R, and below its diagonal v_j in column j
//
// One decomposition for all that the methods need: each kind that Eigen offers takes g++ two to seven seconds. No panels as in
// triangle.cpp, since the rotations take longer than the reflections.
#include "thin_svd.hpp"

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "products.hpp"
#include "small_dense.hpp"
#include "triangle.hpp"

namespace sluice::batch {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

std::span<double> entries(MatrixXd& A) {
    return {A.data(), static_cast<std::size_t>(A.size())};
}

// Column k of B <- H_j times it, with column j of `factors` below its diagonal as v_j.
void apply_reflection(const MatrixXd& factors, Index j, double tau, MatrixXd& B, Index k) {
    const double* const v = factors.data() + (j * factors.rows());
    double* const b = B.data() + (k * B.rows());
    double along = b[j];
    for (Index i = j + 1; i < B.rows(); ++i) {
        along += v[i] * b[i];
    }
    along *= tau;
    b[j] -= along;
    for (Index i = j + 1; i < B.rows(); ++i) {
        b[i] -= along * v[i];
    }
}

// A becomes its factors. Returns every tau_j; 0 where there is nothing to reflect.
std::vector<double> householder(MatrixXd& A) {
    std::vector<double> taus;
    for (Index j = 0; j < A.cols(); ++j) {
        const double tau = reflect(A(j, j), A.col(j).tail(A.rows() - j - 1));
        for (Index k = j + 1; k < A.cols(); ++k) {
            apply_reflection(A, j, tau, A, k);
        }
        taus.push_back(tau);
    }
    return taus;
}

// A has at least as many rows as columns.
ThinSvd svd_of_tall(MatrixXd A) {
    const Index p = A.cols();
    const std::vector<double> taus = householder(A);
    MatrixXd R_transposed = MatrixXd::Zero(p, p);
    for (Index j = 0; j < p; ++j) {
        R_transposed.row(j).head(j + 1) = A.col(j).head(j + 1);
    }
    MatrixXd T(p, p);
    ThinSvd svd{.U = MatrixXd::Zero(A.rows(), p), .d = VectorXd(p), .V = MatrixXd(p, p)};
    core::square_svd(entries(R_transposed), entries(svd.V), {svd.d.data(), static_cast<std::size_t>(p)}, entries(T));
    svd.U.topRows(p) = T;
    for (Index k = 0; k < p; ++k) {
        for (Index j = p; j-- > 0;) {
            apply_reflection(A, j, taus[static_cast<std::size_t>(j)], svd.U, k);
        }
    }
    return svd;
}

}  // namespace

ThinSvd thin_svd(const MatrixXd& A) {
    if (A.rows() >= A.cols()) {
        return svd_of_tall(A);
    }
    ThinSvd svd = svd_of_tall(A.transpose());
    std::swap(svd.U, svd.V);
    return svd;
}

MatrixXd pseudo_inverse_times(const ThinSvd& A, const MatrixXd& B, double least) {
    MatrixXd along = transposed_times(A.U, B);
    for (Index i = 0; i < along.rows(); ++i) {
        along.row(i) *= A.d[i] > least ? 1.0 / A.d[i] : 0.0;
    }
    return times(A.V, along);
}

}  // namespace sluice::batch
