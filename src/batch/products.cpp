#include "products.hpp"

namespace sluice::batch {

Eigen::MatrixXd times(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B) {
    return A * B;
}

Eigen::MatrixXd transposed_times(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B) {
    return A.transpose() * B;
}

Eigen::VectorXd apply(const Eigen::MatrixXd& A, const Eigen::VectorXd& v) {
    return A * v;
}

Eigen::VectorXd apply_transposed(const Eigen::MatrixXd& A, const Eigen::VectorXd& v) {
    return A.transpose() * v;
}

}  // namespace sluice::batch
