// products.hpp -- products of dense matrices and vectors, compiled once: every place where Eigen itself sees one takes the
// compiler a quarter of a second, sanitized half a second.
#pragma once

#include <Eigen/Core>

namespace sluice::batch {

[[nodiscard]] Eigen::MatrixXd times(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B);             ///< A B
[[nodiscard]] Eigen::MatrixXd transposed_times(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B);  ///< A'B
[[nodiscard]] Eigen::VectorXd apply(const Eigen::MatrixXd& A, const Eigen::VectorXd& v);             ///< A v
[[nodiscard]] Eigen::VectorXd apply_transposed(const Eigen::MatrixXd& A, const Eigen::VectorXd& v);  ///< A'v

}  // namespace sluice::batch
