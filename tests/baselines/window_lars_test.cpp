#include "window_lars.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "sluice/error.hpp"
#include "sluice/simulate.hpp"
#include "support/streams.hpp"

namespace sluice::test::window_lars_test {
namespace {

using baselines::LarsVariant;
using baselines::WindowLars;
using baselines::WindowLarsOptions;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

void learn_rows(WindowLars& model, const Table& table, std::size_t from, std::size_t to) {
    for (std::size_t t = from; t < to; ++t) {
        model.learn(table.x_row(t), table.y_row(t));
    }
}

TEST(WindowLars, FindsTheInputsThatMakeTheOutputs) {
    const Table table = factor_table(1, 300, 30, 2);
    WindowLars model(30, 2, {.window = 200, .refit_every = 10, .names = 6});
    learn_rows(model, table, 0, 300);
    EXPECT_TRUE(std::ranges::equal(model.selected(), std::vector<std::size_t>{0, 1, 2, 3}));
    const Matrix b = model.coefficients();
    for (std::size_t k = 0; k < 2; ++k) {
        EXPECT_NEAR(b(k, k), 3.0, 0.05);
        EXPECT_NEAR(b(k + 1, k), -2.0, 0.05);
        EXPECT_NEAR(b(k + 2, k), 1.0, 0.05);
        EXPECT_NEAR(model.intercept()[k], 1.0, 0.1);
        EXPECT_NEAR(model.predict(table.x_row(299))[k], table.y_row(299)[k], 0.5);
    }
}

TEST(WindowLars, IsLeastSquaresOfTheChosenNamesOnTheWindow) {
    const Table table = factor_table(2, 137, 12, 2);
    for (const bool center : {true, false}) {
        WindowLars model(12, 2, {.window = 50, .refit_every = 1, .names = 7, .center = center, .ridge = 1e-12});
        learn_rows(model, table, 0, 137);
        for (std::size_t k = 0; k < 2; ++k) {
            const auto S = model.selected(k);
            ASSERT_EQ(S.size(), model.share(k));
            const Index size = static_cast<Index>(S.size());
            MatrixXd X(50, size + (center ? 1 : 0));
            X.setOnes();
            VectorXd y(50);
            for (Index i = 0; i < 50; ++i) {
                const auto t = static_cast<std::size_t>(i) + 87;
                for (Index j = 0; j < size; ++j) {
                    X(i, j) = table.x_row(t)[S[static_cast<std::size_t>(j)]];
                }
                y[i] = table.y_row(t)[k];
            }
            const VectorXd expected = X.colPivHouseholderQr().solve(y);
            for (Index j = 0; j < size; ++j) {
                EXPECT_NEAR(model.coefficients()(S[static_cast<std::size_t>(j)], k), expected[j], 1e-9);
            }
            EXPECT_NEAR(model.intercept()[k], center ? expected[size] : 0.0, 1e-8);
        }
    }
}

TEST(WindowLars, TheBudgetIsSharedEvenlyAndTheFirstOutputsTakeTheRest) {
    const Table table = factor_table(3, 60, 20, 3);
    WindowLars model(20, 3, {.window = 50, .refit_every = 1, .names = 8});
    EXPECT_EQ(model.share(0), 3U);
    EXPECT_EQ(model.share(1), 3U);
    EXPECT_EQ(model.share(2), 2U);
    learn_rows(model, table, 0, 60);
    for (std::size_t k = 0; k < 3; ++k) {
        EXPECT_EQ(model.selected(k).size(), model.share(k));
    }
    EXPECT_LE(model.selected().size(), 8U);
    WindowLars poor(20, 3, {.window = 50, .refit_every = 1, .names = 1});
    learn_rows(poor, table, 0, 60);
    EXPECT_EQ(poor.selected().size(), 1U);
    EXPECT_TRUE(poor.selected(2).empty());
    double mean = 0.0;
    for (std::size_t t = 10; t < 60; ++t) {
        mean += table.y_row(t)[2] / 50.0;
    }
    EXPECT_NEAR(poor.predict(table.x_row(0))[2], mean, 1e-12);
}

TEST(WindowLars, RowsThatLeftTheWindowLeaveNoTrace) {
    const Table first = factor_table(4, 77, 10, 1);
    const Table second = factor_table(5, 40, 10, 1);
    const WindowLarsOptions options{.window = 40, .refit_every = 1, .names = 4};
    WindowLars late(10, 1, options);
    WindowLars fresh(10, 1, options);
    learn_rows(late, first, 0, 77);
    learn_rows(late, second, 0, 40);
    learn_rows(fresh, second, 0, 40);
    EXPECT_EQ(late.coefficients(), fresh.coefficients());
    EXPECT_EQ(late.intercept(), fresh.intercept());
}

TEST(WindowLars, FitsOnlyWhenItIsDue) {
    const Table table = factor_table(6, 40, 5, 1);
    WindowLars model(5, 1, {.window = 30, .refit_every = 10, .names = 3});
    learn_rows(model, table, 0, 9);
    EXPECT_EQ(model.predict(table.x_row(0)), std::vector<double>{0.0});
    EXPECT_TRUE(model.selected().empty());
    learn_rows(model, table, 9, 10);
    const Matrix at_ten = model.coefficients();
    EXPECT_EQ(model.selected().size(), 3U);
    learn_rows(model, table, 10, 19);
    EXPECT_EQ(model.coefficients(), at_ten);
    learn_rows(model, table, 19, 20);
    EXPECT_NE(model.coefficients(), at_ten);
}

TEST(WindowLars, UnitsOfInputsDoNotMatterWhenScaled) {
    Table table = factor_table(7, 100, 10, 1);
    const WindowLarsOptions options{.window = 80, .refit_every = 50, .names = 4};
    WindowLars plain(10, 1, options);
    learn_rows(plain, table, 0, 100);
    const double huge = std::ldexp(1.0, 480);
    const double tiny = std::ldexp(1.0, -480);
    for (std::size_t t = 0; t < 100; ++t) {
        table.x_row(t)[0] *= huge;
        table.x_row(t)[1] *= tiny;
    }
    WindowLars scaled(10, 1, options);
    learn_rows(scaled, table, 0, 100);
    EXPECT_TRUE(std::ranges::equal(scaled.selected(), plain.selected()));
    EXPECT_EQ(scaled.coefficients()(0, 0), plain.coefficients()(0, 0) / huge);
    EXPECT_EQ(scaled.coefficients()(1, 0), plain.coefficients()(1, 0) / tiny);
}

TEST(WindowLars, WithoutScalingLargeInputsComeFirst) {
    Table table = factor_table(7, 100, 10, 1);
    for (std::size_t t = 0; t < 100; ++t) {
        table.x_row(t)[7] = 1e6 * table.x_row(t)[1];  // a copy in other units
    }
    WindowLars model(10, 1, {.window = 80, .refit_every = 1, .names = 3, .scale_inputs = false});
    learn_rows(model, table, 0, 100);
    EXPECT_EQ(model.selected(0)[0], 7U);
    EXPECT_FALSE(std::ranges::binary_search(model.selected(), std::size_t{1}));
}

TEST(WindowLars, ConstantDuplicateAndTooManyInputsAreDefined) {
    for (const auto variant : {LarsVariant::lar, LarsVariant::lasso}) {
        Table table = factor_table(8, 40, 60, 2);  // more inputs than rows in the window
        WindowLars model(60, 2, {.window = 20, .refit_every = 1, .names = 120, .variant = variant});
        for (std::size_t t = 0; t < 40; ++t) {
            table.x_row(t)[0] = 0.1;
            table.x_row(t)[1] = 1e9 / 3.0;
            table.x_row(t)[3] = table.x_row(t)[2];
            model.learn(table.x_row(t), table.y_row(t));
            for (const double y : model.predict(table.x_row(t))) {
                ASSERT_TRUE(std::isfinite(y)) << "row " << t;
            }
            for (const std::size_t j : model.selected()) {
                ASSERT_GE(j, 2U) << "a constant was chosen at row " << t;
            }
        }
        for (std::size_t k = 0; k < 2; ++k) {
            EXPECT_LE(model.selected(k).size(), 19U);  // rank of 20 centred rows
            EXPECT_NEAR(model.predict(table.x_row(39))[k], table.y_row(39)[k], 1e-3);
        }
    }
}

TEST(WindowLars, GapsAreFilledWithTheLastValueAndThePrediction) {
    const Table table = factor_table(9, 80, 6, 2);
    const WindowLarsOptions options{.window = 40, .refit_every = 5, .names = 6};
    WindowLars model(6, 2, options);
    WindowLars filled(6, 2, options);
    for (std::size_t t = 0; t < 80; ++t) {
        std::vector<double> x(table.x_row(t).begin(), table.x_row(t).end());
        std::vector<double> y(table.y_row(t).begin(), table.y_row(t).end());
        std::vector<double> x_filled = x;
        std::vector<double> y_filled = y;
        if (t % 4 == 1) {
            x[0] = nan;
            x_filled[0] = table.x_row(t - 1)[0];
        }
        if (t % 7 == 3) {
            y[0] = nan;
            y_filled[0] = filled.predict(x_filled)[0];
        }
        model.learn(x, y);
        filled.learn(x_filled, y_filled);
    }
    EXPECT_EQ(model.coefficients(), filled.coefficients());
    model.learn(table.x_row(0), std::vector{nan, nan});
    EXPECT_EQ(model.rows_learned(), 80U);
}

TEST(WindowLars, MistakesAreRefused) {
    try {
        const WindowLars model(3, 1, {.window = 1, .refit_every = 0, .names = 0, .ridge = nan});
        FAIL() << "taken in";
    } catch (const OptionError& error) {
        EXPECT_EQ(error.problems().size(), 4U);
    }
    WindowLars model(2, 1);
    const std::vector<double> x = {1.0, 2.0};
    const std::vector<double> y = {1.0};
    EXPECT_THROW(model.learn(y, y), DataError);
    EXPECT_THROW(model.learn(x, x), DataError);
    EXPECT_THROW(model.learn(std::vector{1.0, std::numeric_limits<double>::infinity()}, y), DataError);
    EXPECT_THROW((void)model.predict(y), DataError);
    EXPECT_EQ(model.rows_learned(), 0U);
}

}  // namespace
}  // namespace sluice::test::window_lars_test
