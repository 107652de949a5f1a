#include "table.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "batch/example.hpp"
#include "sluice/error.hpp"

namespace sluice::batch::table_test {
namespace {

using test::Example;
using test::factor_example;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

StreamOptions scaled(double forgetting) {
    StreamOptions options;
    options.forgetting = forgetting;
    return options;
}

TEST(Table, MomentsOfTheWorkingRowsAreThoseOfTheRecursion) {
    // C_t = lambda C_{t-1} + x'x, eq. (15), run row by row on the deviations from the weighted means.
    const Example e = factor_example(40, 4, 2);
    const double forgetting = 0.9;
    StreamOptions options = test::plain_options(1);
    options.forgetting = forgetting;
    const Table table = make_table(e.inputs(), e.outputs(), options);

    const MatrixXd X = e.X();
    const MatrixXd Y = e.Y();
    double weight = 0.0;
    VectorXd x_sum = VectorXd::Zero(4);
    VectorXd y_sum = VectorXd::Zero(2);
    for (Index i = 0; i < 40; ++i) {
        weight = forgetting * weight + 1.0;
        x_sum = forgetting * x_sum + X.row(i).transpose();
        y_sum = forgetting * y_sum + Y.row(i).transpose();
    }
    MatrixXd C = MatrixXd::Zero(4, 4);
    MatrixXd M = MatrixXd::Zero(4, 2);
    for (Index i = 0; i < 40; ++i) {
        const VectorXd x = X.row(i).transpose() - x_sum / weight;
        const VectorXd y = Y.row(i).transpose() - y_sum / weight;
        C = forgetting * C + x * x.transpose();
        M = forgetting * M + x * y.transpose();
    }
    const double x_unit = std::ldexp(1.0, table.inputs.unit);
    const double y_unit = std::ldexp(1.0, table.outputs.unit);
    const MatrixXd& Xw = table.inputs.working;
    EXPECT_NEAR(table.weight, weight, 1e-12);
    EXPECT_LT((x_unit * x_unit * Xw.transpose() * Xw - C).norm(), 1e-12 * C.norm());
    EXPECT_LT((x_unit * y_unit * Xw.transpose() * table.outputs.working - M).norm(), 1e-12 * M.norm());
}

TEST(Table, ScaledColumnsHaveUnitWeightedVariance) {
    const Example e = factor_example(50, 5, 2);
    const Table table = make_table(e.inputs(), e.outputs(), scaled(0.95));
    for (Index j = 0; j < 5; ++j) {
        EXPECT_NEAR(table.inputs.working.col(j).squaredNorm() / table.weight, 1.0, 1e-13);
    }
    for (Index k = 0; k < 2; ++k) {
        EXPECT_NEAR(table.outputs.working.col(k).squaredNorm() / table.weight, 1.0, 1e-13);
    }
}

TEST(Table, UnscaledColumnsKeepTheirRelativeSizes) {
    Example e = factor_example(30, 3, 1);
    for (std::size_t i = 0; i < e.n(); ++i) {
        e.input(i, 1) = 0x1p20 * e.input(i, 0);
    }
    const Table table = make_table(e.inputs(), e.outputs(), test::plain_options(1));
    EXPECT_EQ(table.inputs.working.col(1), 0x1p20 * table.inputs.working.col(0));
}

TEST(Table, SizesFrom1em150To1e150GiveTheSameWorkingInputs) {
    const Example e = factor_example(30, 3, 1);
    const MatrixXd expected = make_table(e.inputs(), e.outputs(), scaled(1.0)).inputs.working;
    for (const double size : {0x1p-500, 0x1p500, 0x1p-1000, 0x1p1000}) {  // 2^498 is 8e149
        Example sized = e;
        for (double& value : sized.x) {
            value *= size;
        }
        EXPECT_EQ(make_table(sized.inputs(), sized.outputs(), scaled(1.0)).inputs.working, expected) << size;
    }
}

TEST(Table, AColumnThatDoesNotVaryIsZero) {
    Example e = factor_example(30, 3, 1);
    for (std::size_t i = 0; i < e.n(); ++i) {
        e.input(i, 1) = 0.1;  // thirty times 0.1 does not add up to 3
    }
    for (const bool scale : {false, true}) {
        StreamOptions options = test::plain_options(1);
        options.scale_inputs = scale;
        const Table table = make_table(e.inputs(), e.outputs(), options);
        EXPECT_FALSE(table.inputs.columns[1].varies());
        EXPECT_TRUE(table.inputs.working.col(1).isZero(0.0));
        EXPECT_TRUE(table.inputs.columns[0].varies());
    }
}

TEST(Table, ThroughTheOriginAConstantColumnCounts) {
    Example e = factor_example(30, 2, 1);
    for (std::size_t i = 0; i < e.n(); ++i) {
        e.input(i, 1) = 0.1;
    }
    StreamOptions options = scaled(1.0);
    options.center = false;
    const Table table = make_table(e.inputs(), e.outputs(), options);
    EXPECT_TRUE(table.inputs.working.col(1).isApprox(VectorXd::Ones(30)));
}

TEST(Table, AMissingInputCountsAsTheMeanOfThosePresent) {
    Example e = factor_example(20, 3, 1);
    e.input(4, 1) = nan;
    for (std::size_t i = 0; i < e.n(); ++i) {
        e.input(i, 2) = nan;  // never present
    }
    const Table table = make_table(e.inputs(), e.outputs(), test::plain_options(1));
    double sum = 0.0;
    for (std::size_t i = 0; i < e.n(); ++i) {
        sum += i == 4 ? 0.0 : e.input(i, 1);
    }
    EXPECT_NEAR(table.inputs.columns[1].mean_as_given(), sum / 19.0, 1e-14);
    EXPECT_EQ(table.inputs.working(4, 1), 0.0);
    EXPECT_NE(table.inputs.working(5, 1), 0.0);
    EXPECT_EQ(table.inputs.columns[2].mean_as_given(), 0.0);
    EXPECT_TRUE(table.inputs.working.col(2).isZero(0.0));
}

TEST(Table, ARowWithoutOutputsNeitherCountsNorAgesTheOthers) {
    Example e = factor_example(20, 3, 2);
    const Table without = make_table(e.inputs(), e.outputs(), scaled(0.9));
    e.x.insert(e.x.begin() + 30, {7.0, 8.0, 9.0});
    e.y.insert(e.y.begin() + 20, {nan, nan});
    const Table with = make_table(e.inputs(), e.outputs(), scaled(0.9));
    EXPECT_EQ(with.inputs.working, without.inputs.working);
    EXPECT_EQ(with.outputs.working, without.outputs.working);
    EXPECT_EQ(with.weight, without.weight);
}

TEST(Table, AWhollyForgottenGlitchDoesNotHideThePresent) {
    Example e = factor_example(2200, 2, 1);
    e.input(0, 0) = 1e300;  // weight 0.7^2199 is below the smallest double
    const Table table = make_table(e.inputs(), e.outputs(), scaled(0.7));
    EXPECT_TRUE(table.inputs.columns[0].varies());
    EXPECT_NEAR(table.inputs.working.col(0).squaredNorm() / table.weight, 1.0, 1e-12);
}

}  // namespace
}  // namespace sluice::batch::table_test
