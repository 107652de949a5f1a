// operator.cpp -- H as an operator.
//
//     H = alpha C + (1 - alpha) M M',     C = X'X,   M = X'Y                paper eq. (6)
//       = X' (alpha I + (1 - alpha) Y Y') X                              eq. (7)
//       = a X'X + b N N'
//
//   code   paper   size   meaning
//   X_     X       n x p  working inputs
//   N_     M       p x q  M brought to length 1 (Frobenius): M M' is of fourth order in the data
//   a_     alpha   1      balance trace: alpha / tr C;   raw: alpha
//   b_     1-alpha 1      balance trace: 1 - alpha;      raw: (1 - alpha) |M|^2
//
// Departs from the paper: balance trace (options.hpp) divides each part by its trace, so that units do not matter.
// raw is as printed, but for a common factor that the eigenvectors do not feel: with working columns in units of 2^k
// (outputs) the second part is 4^k times larger, or the first one 4^-k times.
#include "operator.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "products.hpp"

namespace sluice::batch {

BridgeOperator::BridgeOperator(const Table& table, const MatrixXd& cross, const StreamOptions& options)
    : X_(table.inputs.working), N_(cross) {
    const double alpha = options.ridge;
    const double length = cross.norm();
    if (length > 0.0) {
        N_ /= length;
        b_ = 1.0 - alpha;
    }
    if (options.balance == Balance::trace) {
        const double trace = X_.squaredNorm();
        a_ = trace > 0.0 ? alpha / trace : 0.0;
    } else {
        const int k = table.outputs.unit;
        a_ = std::ldexp(alpha, -2 * std::max(k, 0));
        b_ *= std::ldexp(length * length, 2 * std::min(k, 0));
    }
    const Index fewer = static_cast<Index>(table.rows) - X_.rows();  // K of all rows has that many more
    resolution_ = std::numeric_limits<double>::epsilon() *
                  static_cast<double>(std::max(size(), root_rows() + (a_ > 0.0 ? std::max<Index>(fewer, 0) : 0)));
}

VectorXd BridgeOperator::times(const VectorXd& v) const {
    VectorXd Hv = VectorXd::Zero(size());
    if (a_ > 0.0) {
        Hv += a_ * apply_transposed(X_, apply(X_, v));
    }
    if (b_ > 0.0) {
        Hv += b_ * apply(N_, apply_transposed(N_, v));
    }
    return Hv;
}

MatrixXd BridgeOperator::root() const {
    MatrixXd K(root_rows(), size());
    if (b_ > 0.0) {  // the larger rows first: a QR factorisation then keeps the small ones' digits
        K.topRows(N_.cols()) = std::sqrt(b_) * N_.transpose();
    }
    if (a_ > 0.0) {
        K.bottomRows(X_.rows()) = std::sqrt(a_) * X_;
    }
    return K;
}

}  // namespace sluice::batch
