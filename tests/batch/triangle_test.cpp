#include "triangle.hpp"

#include <gtest/gtest.h>

#include "batch/example.hpp"

namespace sluice::batch::triangle_test {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

TEST(Triangle, ItsProductIsTheSumOverAllRows) {
    for (const std::size_t w : {1U, 2U, 15U, 16U, 17U, 40U}) {
        const auto width = static_cast<Index>(w);
        MatrixXd R = MatrixXd::Zero(width, width);
        MatrixXd sum = MatrixXd::Zero(width, width);
        for (const std::size_t k : {1U, 7U, 50U}) {
            MatrixXd rows = test::factor_example(k, w, 1, k).X();
            sum += rows.transpose() * rows;
            add_rows(R, rows);
            EXPECT_LT((R.transpose() * R - sum).norm(), 1e-14 * sum.norm()) << w << " columns, " << k << " rows";
            EXPECT_TRUE(R.isUpperTriangular(0.0));
        }
    }
}

TEST(Triangle, RowsOfZerosAndColumnsOfZerosAreExact) {
    MatrixXd rows = test::factor_example(20, 5, 1).X();
    rows.col(2).setZero();
    MatrixXd R = MatrixXd::Zero(5, 5);
    add_rows(R, rows);
    EXPECT_TRUE(R.col(2).isZero(0.0));
    const MatrixXd before = R;
    MatrixXd zeros = MatrixXd::Zero(3, 5);
    add_rows(R, zeros);
    EXPECT_EQ(R, before);
}

// Sums of squares would lose it: 1 + 1e-18 is 1.
TEST(Triangle, AColumnThatDiffersByOneBillionthKeepsItsDifference) {
    MatrixXd rows(2, 2);
    rows << 1.0, 1.0, 0.0, 1e-9;
    MatrixXd R = MatrixXd::Zero(2, 2);
    add_rows(R, rows);
    EXPECT_NEAR(std::abs(R(1, 1)), 1e-9, 1e-23);
}

}  // namespace
}  // namespace sluice::batch::triangle_test
