// complement.hpp -- takes away what lies in the span of vectors met before.
//
//     P = I - Q Q',   Q an orthonormal basis of the vectors added so far
//
// Gram-Schmidt, eq. (18), with Q in place of the vectors themselves: sparse weight vectors are not orthogonal to each
// other, so I - sum_k u^(k) u^(k)' would leave a part of each in. Twice is enough: after a second pass what is left of
// the span is of the size of rounding.
#pragma once

#include <Eigen/Core>

#include "products.hpp"

namespace sluice::batch {

class Complement {
  public:
    explicit Complement(Eigen::Index size) : Q_(size, 0) {}

    [[nodiscard]] Eigen::VectorXd project(Eigen::VectorXd v) const {
        for (int pass = 0; pass < 2; ++pass) {
            v -= apply(Q_, apply_transposed(Q_, v));
        }
        return v;
    }

    /// v of unit length. A vector that lies in the span already changes nothing.
    void add(const Eigen::VectorXd& v) {
        const Eigen::VectorXd rest = project(v);
        if (rest.norm() > 1e-12) {
            Q_.conservativeResize(Eigen::NoChange, Q_.cols() + 1);
            Q_.rightCols(1) = rest.normalized();
        }
    }

  private:
    Eigen::MatrixXd Q_;
};

}  // namespace sluice::batch
