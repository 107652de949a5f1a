// triangle.hpp -- second moments as their triangular factor: R'R is the sum of z'z over the rows z added so far.
#pragma once

#include <Eigen/Core>

namespace sluice::batch {

/// R'R grows by the sum of z'z over the rows z of `rows`. R is square and upper triangular; `rows` is overwritten.
void add_rows(Eigen::MatrixXd& R, Eigen::MatrixXd& rows);

/// The reflection I - tau h h', h = [1; v], that takes [diagonal; column] to [diagonal; 0]. Changes `diagonal` to what it becomes
/// and `column` to v, and returns tau: 0 where the column is zero.
[[nodiscard]] double reflect(double& diagonal, Eigen::Ref<Eigen::VectorXd> column);

}  // namespace sluice::batch
