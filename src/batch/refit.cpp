// refit.cpp -- the support refit; not in the paper.
//
//     beta_S = (A + k I)^-1 X_S'Y,     A = X_S'X_S,   k = (r / n) tr A / |S|
//
//   code   size       meaning
//   X_S    n x |S|    working inputs of the support S
//   k      1          as if r further rows of average variance had shown no relation; n is the weight of all rows
//
// More variables than rows: the same by beta_S = X_S'(X_S X_S' + k I)^-1 Y, whose matrix is n x n.
#include "refit.hpp"

#include <algorithm>

#include "products.hpp"
#include "small_dense.hpp"

namespace sluice::batch {

namespace {

// The least k, relative to the mean variance: duplicate columns make A singular, and this leaves ten digits of the rest.
constexpr double least_ridge = 1e-10;

// B <- A^-1 B. A is overwritten with its Cholesky factor.
void solve(MatrixXd& A, MatrixXd& B) {
    const auto size = static_cast<std::size_t>(A.rows());
    const std::span<double> L(A.data(), size * size);
    core::cholesky_in_place(L, size);
    core::cholesky_solve(L, size, {B.data(), static_cast<std::size_t>(B.size())});
}

}  // namespace

MatrixXd refit(const Table& table, std::span<const std::size_t> support, double shrinkage) {
    const MatrixXd& X = table.inputs.working;
    const MatrixXd& Y = table.outputs.working;
    const auto size = static_cast<Index>(support.size());
    MatrixXd X_S(X.rows(), size);
    for (Index i = 0; i < size; ++i) {
        X_S.col(i) = X.col(static_cast<Index>(support[static_cast<std::size_t>(i)]));
    }
    MatrixXd beta = MatrixXd::Zero(X.cols(), Y.cols());
    const double k = std::max(shrinkage / table.weight, least_ridge) * X_S.squaredNorm() / static_cast<double>(size);
    if (!(k > 0.0)) {
        return beta;
    }
    MatrixXd beta_S;
    if (size <= X.rows()) {
        MatrixXd A = transposed_times(X_S, X_S);
        A.diagonal().array() += k;
        beta_S = transposed_times(X_S, Y);
        solve(A, beta_S);
    } else {
        MatrixXd A = times(X_S, X_S.transpose());
        A.diagonal().array() += k;
        MatrixXd residual = Y;  // of the ridge fit, over k
        solve(A, residual);
        beta_S = transposed_times(X_S, residual);
    }
    for (Index i = 0; i < size; ++i) {
        beta.row(static_cast<Index>(support[static_cast<std::size_t>(i)])) = beta_S.row(i);
    }
    return beta;
}

}  // namespace sluice::batch
