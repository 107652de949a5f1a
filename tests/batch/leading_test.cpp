#include "leading.hpp"

#include <gtest/gtest.h>

#include <Eigen/QR>

#include "batch/example.hpp"

namespace sluice::batch::leading_test {
namespace {

using test::distance_up_to_signs;
using test::Example;
using test::factor_example;
using test::plain_options;

struct Prepared {
    StreamOptions options;
    Table table;
    MatrixXd M;

    [[nodiscard]] BridgeOperator H() const { return {table, M, options}; }
};

Prepared prepare(const Example& e, const StreamOptions& options) {
    Prepared prepared{.options = options, .table = make_table(e.inputs(), e.outputs(), options), .M = {}};
    prepared.M = prepared.table.inputs.working.transpose() * prepared.table.outputs.working;
    return prepared;
}

TEST(Leading, OperatorAndRootAreTheSameH) {
    const Prepared made = prepare(factor_example(30, 8, 2), plain_options(3, 0.3));
    const BridgeOperator H = made.H();
    const MatrixXd& X = made.table.inputs.working;
    const MatrixXd dense =
        0.3 / X.squaredNorm() * X.transpose() * X +
        0.7 / made.M.squaredNorm() * made.M * made.M.transpose();  // eq. (6), each part over its trace
    const VectorXd v = VectorXd::LinSpaced(8, -1.0, 2.0);
    EXPECT_LT((H.times(v) - dense * v).norm(), 1e-15);
    EXPECT_LT((H.root().transpose() * H.root() - dense).norm(), 1e-15);
}

TEST(Leading, IterationAndDecompositionAgreeFarDownTheSpectrum) {
    for (const double ridge : {1e-5, 0.1, 1.0}) {
        for (const std::size_t p : {40U, 150U}) {
            const Prepared made = prepare(factor_example(90, p, 2), plain_options(6, ridge));
            const Leading one = leading_by_decomposition(made.H(), 6);
            const auto iterated = leading_by_iteration(made.H(), 6);
            ASSERT_TRUE(iterated.has_value());
            const Leading& other = *iterated;
            ASSERT_EQ(one.values.size(), 6);
            ASSERT_EQ(other.values.size(), 6);
            EXPECT_LT(((one.values - other.values).array() / one.values.array()).abs().maxCoeff(), 1e-11);
            EXPECT_LT(distance_up_to_signs(one.vectors, other.vectors), 1e-10) << "ridge " << ridge << ", p " << p;
        }
    }
}

TEST(Leading, IterationFindsEveryVectorOfARepeatedEigenvalue) {
    // 150 orthonormal columns: H = X'X has one eigenvalue only. Three columns are made twice as large.
    const Example e = factor_example(200, 150, 1);
    MatrixXd X = Eigen::HouseholderQR<MatrixXd>(e.X()).householderQ() * MatrixXd::Identity(200, 150);
    X.leftCols(3) *= 2.0;
    Table table;
    table.inputs.working = X;
    table.outputs.working = e.Y();
    StreamOptions options = plain_options(5, 1.0);
    options.balance = Balance::raw;
    const MatrixXd M = X.transpose() * table.outputs.working;
    const auto iterated = leading_by_iteration(BridgeOperator(table, M, options), 5);
    ASSERT_TRUE(iterated.has_value());
    const Leading& found = *iterated;
    ASSERT_EQ(found.values.size(), 5);
    VectorXd expected(5);
    expected << 4.0, 4.0, 4.0, 1.0, 1.0;
    EXPECT_LT((found.values - expected).norm(), 1e-12);
    EXPECT_LT((found.vectors.transpose() * found.vectors - MatrixXd::Identity(5, 5)).norm(), 1e-12);
}

TEST(Leading, BothStopAtTheRankOfTheInputs) {
    const Prepared made = prepare(factor_example(5, 150, 2), plain_options(10));  // five centred rows: rank four
    EXPECT_EQ(leading_by_decomposition(made.H(), 10).values.size(), 4);
    EXPECT_EQ(leading_by_iteration(made.H(), 10).value().values.size(), 4);
}

}  // namespace
}  // namespace sluice::batch::leading_test
