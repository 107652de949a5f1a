// triangle.hpp -- second moments as their triangular factor: R'R is the sum of z'z over the rows z added so far.
#pragma once

#include <Eigen/Core>

namespace sluice::batch {

/// R'R grows by the sum of z'z over the rows z of `rows`. R is square and upper triangular; `rows` is overwritten.
void add_rows(Eigen::MatrixXd& R, Eigen::MatrixXd& rows);

}  // namespace sluice::batch
