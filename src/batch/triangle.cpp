// triangle.cpp -- rows are added to a triangular factor by Householder reflections.
//
//     [ R ]         [ R_new ]
//     [ B ]  =  Q   [   0   ],      R_new'R_new = R'R + B'B,      Q = H_1 H_2 ... H_w
//     H_j  =  I - tau_j h_j h_j',   h_j = [ e_j; v_j ]
//
//   code   size    meaning
//   R      w x w   upper triangular
//   B      k x w   the rows that are added
//   v_j    k       what reflection j does to the rows of B; of R it changes only row j, since column j of R ends there
//   V      k x b   v_j of a panel of b columns
//   T      b x b   H_1 ... H_b = I - [E; V] T [E; V]', so that all columns after the panel take two matrix products
//
// Cost: 2 k w^2 operations for k rows, whatever k is. A sum of squares z'z would take half of that and lose half of the
// digits: a direction whose variance is 1e-16 of the largest is not seen in X'X, and is in R as it is in the rows.
#include "triangle.hpp"

#include <algorithm>
#include <cmath>

namespace sluice::batch {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Columns of a panel. 8 to 32 take about the same time with 50 to 1,000 columns.
constexpr Index panel_size = 16;

}  // namespace

double reflect(double& diagonal, Eigen::Ref<VectorXd> column) {
    const double squares = column.squaredNorm();
    if (!(squares > 0.0)) {
        column.setZero();  // of what is left, no square is a number above 0
        return 0.0;
    }
    const double length = std::sqrt((diagonal * diagonal) + squares);
    const double reflected = diagonal > 0.0 ? -length : length;
    column /= diagonal - reflected;
    const double tau = (reflected - diagonal) / reflected;
    diagonal = reflected;
    return tau;
}

void add_rows(MatrixXd& R, MatrixXd& rows) {
    const Index w = R.cols();
    MatrixXd T(panel_size, panel_size);
    MatrixXd product(panel_size, w);
    for (Index start = 0; start < w; start += panel_size) {
        const Index b = std::min(panel_size, w - start);
        auto V = rows.middleCols(start, b);
        T.setZero();
        for (Index j = 0; j < b; ++j) {
            const double tau = reflect(R(start + j, start + j), V.col(j));
            for (Index l = j + 1; l < b; ++l) {  // the rest of the panel, one column after the other
                const double along = tau * (R(start + j, start + l) + V.col(j).dot(V.col(l)));
                R(start + j, start + l) -= along;
                V.col(l) -= along * V.col(j);
            }
            if (j > 0) {
                const VectorXd before = -tau * (V.leftCols(j).transpose() * V.col(j));
                T.col(j).head(j).noalias() = T.topLeftCorner(j, j) * before;
            }
            T(j, j) = tau;
        }
        const Index after = w - start - b;
        if (after > 0) {
            auto R_after = R.block(start, start + b, b, after);
            auto B_after = rows.rightCols(after);
            auto along = product.topLeftCorner(b, after);
            along = R_after;
            along.noalias() += V.transpose() * B_after;
            along = (T.topLeftCorner(b, b).transpose() * along).eval();
            R_after -= along;
            B_after.noalias() -= V * along;
        }
    }
}

}  // namespace sluice::batch
