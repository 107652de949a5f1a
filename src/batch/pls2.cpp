// pls2.cpp -- PLS-2 with deflation, section 2.1.
//
//     u = first left singular vector of M^(r) = X^(r)'Y^(r)                 eq. (1), (4)
//     s = X^(r) u
//     b = X^(r)'s / s's,   w = Y^(r)'s / s's                                eq. (5)
//     X^(r+1) = X^(r) - s b',   Y^(r+1) = Y^(r) - s w'
//
// In terms of the undeflated inputs S = X U (B'U)^-1, so beta = U (B'U)^-1 W; B'U is upper triangular with a unit
// diagonal, since X^(k) u^(r) = 0 for k > r.
#include <limits>

#include "methods.hpp"
#include "products.hpp"
#include "text.hpp"
#include "thin_svd.hpp"

namespace sluice::batch {

Directions pls2(const Table& table, const StreamOptions& options) {
    MatrixXd X = table.inputs.working;
    MatrixXd Y = table.outputs.working;
    const auto R = static_cast<Index>(options.components_for(table.inputs.columns.size()));
    const double nothing = resolution(table) * X.norm() * Y.norm();
    MatrixXd U(X.cols(), R);
    MatrixXd B(X.cols(), R);
    Directions found;
    Index r = 0;
    for (; r < R; ++r) {
        const MatrixXd M = transposed_times(X, Y);
        if (M.norm() <= nothing) {
            found.notes.push_back("components = " + core::text(static_cast<std::size_t>(R)) + ": after " +
                                  core::text(static_cast<std::size_t>(r)) +
                                  " the inputs have nothing more in common with the outputs");
            break;
        }
        const VectorXd u = thin_svd(M).U.col(0);
        const VectorXd s = apply(X, u);
        const VectorXd b = apply_transposed(X, s) / s.squaredNorm();
        const VectorXd w = apply_transposed(Y, s) / s.squaredNorm();
        for (Index j = 0; j < X.cols(); ++j) {
            X.col(j) -= b[j] * s;
        }
        for (Index k = 0; k < Y.cols(); ++k) {
            Y.col(k) -= w[k] * s;
        }
        U.col(r) = u;
        B.col(r) = b;
    }
    found.weights = U.leftCols(r);
    const MatrixXd BU = transposed_times(B.leftCols(r), found.weights);
    found.rotation = found.weights;  // U (B'U)^-1, one column after the other
    for (Index k = 0; k < r; ++k) {
        for (Index l = 0; l < k; ++l) {
            found.rotation.col(k) -= BU(l, k) * found.rotation.col(l);
        }
    }
    return found;
}

}  // namespace sluice::batch
