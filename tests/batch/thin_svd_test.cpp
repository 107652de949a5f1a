#include "thin_svd.hpp"

#include <gtest/gtest.h>

#include <Eigen/SVD>
#include <algorithm>
#include <cmath>

namespace sluice::batch::thin_svd_test {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// The product, orthonormal columns, and the values that Eigen's own decomposition finds. All are of size 1 and sums of some hundred
// products: 1e-13 is a few hundred roundings.
void expect_decomposed(const MatrixXd& A) {
    const ThinSvd svd = thin_svd(A);
    const Index k = std::min(A.rows(), A.cols());
    ASSERT_EQ(svd.d.size(), k);
    ASSERT_EQ(svd.U.rows(), A.rows());
    ASSERT_EQ(svd.V.rows(), A.cols());
    EXPECT_LT((svd.U * svd.d.asDiagonal() * svd.V.transpose() - A).norm(), 1e-13 * (1.0 + A.norm()));
    EXPECT_LT((svd.U.transpose() * svd.U - MatrixXd::Identity(k, k)).norm(), 1e-13);
    EXPECT_LT((svd.V.transpose() * svd.V - MatrixXd::Identity(k, k)).norm(), 1e-13);
    const VectorXd expected = Eigen::JacobiSVD<MatrixXd>(A).singularValues();
    EXPECT_LT((svd.d - expected).norm(), 1e-13 * (1.0 + expected.norm()));
}

// Numbers in (-1, 1), the same on every run.
MatrixXd numbers(Index rows, Index cols) {
    MatrixXd A(rows, cols);
    for (Index i = 0; i < A.size(); ++i) {
        A.data()[i] = std::sin(static_cast<double>((i * i) + (3 * i) + 1));
    }
    return A;
}

TEST(ThinSvd, GivesTheMatrixBackFromOrthonormalFactors) {
    expect_decomposed(numbers(40, 7));
    expect_decomposed(numbers(7, 40));
    expect_decomposed(numbers(12, 12));
    expect_decomposed(numbers(1, 5));
    expect_decomposed(numbers(5, 1));
    expect_decomposed(numbers(1, 1));
}

TEST(ThinSvd, OfAMatrixWithoutFullRankHasZerosAtTheEnd) {
    MatrixXd A = numbers(20, 6);
    A.col(3) = A.col(1) - 2.0 * A.col(0);
    A.col(5).setZero();
    expect_decomposed(A);
    expect_decomposed(A.transpose());
    expect_decomposed(MatrixXd::Zero(4, 3));
    EXPECT_LT(thin_svd(A).d[4], 1e-13);
}

TEST(ThinSvd, ThePseudoInverseOfDuplicateColumnsSharesTheirCoefficient) {
    MatrixXd A = numbers(20, 3);
    A.col(2) = A.col(1);
    const MatrixXd B = A.col(0) + 4.0 * A.col(1);
    const MatrixXd x = pseudo_inverse_times(thin_svd(A), B, 1e-8);
    EXPECT_LT((x - VectorXd{{1.0, 2.0, 2.0}}).norm(), 1e-12);
    EXPECT_EQ(pseudo_inverse_times(thin_svd(MatrixXd::Zero(4, 2)), numbers(4, 3), 1e-8), MatrixXd::Zero(2, 3));
}

}  // namespace sluice::batch::thin_svd_test
