// thin_svd.hpp -- the singular value decomposition of a dense matrix.
#pragma once

#include <Eigen/Core>

namespace sluice::batch {

/// A = U diag(d) V', d from the largest down. With k the smaller side of A, U and V have k orthonormal columns.
struct ThinSvd {
    Eigen::MatrixXd U;
    Eigen::VectorXd d;
    Eigen::MatrixXd V;
};

[[nodiscard]] ThinSvd thin_svd(const Eigen::MatrixXd& A);

/// A^+ B. Singular values of A up to `least` count as zero.
[[nodiscard]] Eigen::MatrixXd pseudo_inverse_times(const ThinSvd& A, const Eigen::MatrixXd& B, double least);

}  // namespace sluice::batch
