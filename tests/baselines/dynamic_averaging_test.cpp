#include "dynamic_averaging.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "sluice/error.hpp"
#include "support/streams.hpp"

namespace sluice::test {
namespace {

using baselines::DynamicAveraging;
using baselines::DynamicAveragingOptions;
using baselines::RecursiveLeastSquares;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// y = x'b with b drawn again every `period` rows.
void learn_changing(DynamicAveraging& model, NormalSource& normal, int rows, int period) {
    std::vector<double> x(3);
    std::vector<double> b = {1.0, -1.0, 0.5};
    for (int t = 0; t < rows; ++t) {
        if (t > 0 && t % period == 0) {
            for (double& value : b) {
                value = normal.next();
            }
        }
        for (double& value : x) {
            value = normal.next();
        }
        const double y = std::inner_product(x.begin(), x.end(), b.begin(), normal.next(0.0, 0.1));
        model.learn(x, {&y, 1});
    }
}

TEST(DynamicAveraging, FindsTheFactorThatSuitsTheStream) {
    const DynamicAveragingOptions options{.forgetting = {0.8, 0.95, 1.0}, .regularisation = 0.01};
    NormalSource normal(3);
    DynamicAveraging still(3, 1, options);
    learn_changing(still, normal, 600, 10000);
    EXPECT_GT(still.probabilities(0)[2], 0.6);
    DynamicAveraging moving(3, 1, options);
    learn_changing(moving, normal, 600, 25);
    EXPECT_LT(moving.probabilities(0)[2], 0.01);
    EXPECT_GT(moving.probabilities(0)[0], 0.5);
}

TEST(DynamicAveraging, LeavesTheLongMemoryAfterABreakAndReturnsToIt) {
    const DynamicAveragingOptions options{.forgetting = {0.9, 1.0}, .model_forgetting = 0.95, .regularisation = 0.01};
    NormalSource normal(4);
    DynamicAveraging model(3, 1, options);
    learn_changing(model, normal, 500, 10000);
    EXPECT_GT(model.probabilities(0)[1], 0.7);
    // The sign of every coefficient changes: the short memory follows within some ten rows.
    std::vector<double> x(3);
    for (int t = 0; t < 30; ++t) {
        for (double& value : x) {
            value = normal.next();
        }
        const double y = -x[0] + x[1] - (0.5 * x[2]) + normal.next(0.0, 0.1);
        model.learn(x, {&y, 1});
    }
    EXPECT_GT(model.probabilities(0)[0], 0.95);
}

TEST(DynamicAveraging, ProbabilitiesSumToOneWhateverTheErrors) {
    const Table table = factor_table(8, 200, 6, 2);
    DynamicAveraging model(6, 2, {.start_up = 5});
    for (std::size_t t = 0; t < table.rows(); ++t) {
        std::vector<double> y(table.y_row(t).begin(), table.y_row(t).end());
        if (t == 100) {
            y[0] = 1e100;  // densities of 0 for every model
        }
        model.learn(table.x_row(t), y);
        for (std::size_t k = 0; k < 2; ++k) {
            const auto pi = model.probabilities(k);
            EXPECT_NEAR(std::accumulate(pi.begin(), pi.end(), 0.0), 1.0, 1e-12) << "row " << t;
            for (const double one : pi) {
                EXPECT_GT(one, 1e-4) << "row " << t;  // the floor
            }
        }
    }
}

TEST(DynamicAveraging, AMissingOutputKeepsItsProbabilities) {
    const Table table = factor_table(9, 100, 4, 2);
    DynamicAveraging model(4, 2, {.start_up = 10});
    for (std::size_t t = 0; t < 60; ++t) {
        model.learn(table.x_row(t), table.y_row(t));
    }
    const auto first = model.probabilities(0);
    const auto second = model.probabilities(1);
    model.learn(table.x_row(60), std::vector{table.y_row(60)[0], nan});
    EXPECT_NE(model.probabilities(0), first);
    EXPECT_EQ(model.probabilities(1), second);
    const auto now = model.coefficients();
    model.learn(table.x_row(61), std::vector{nan, nan});
    EXPECT_EQ(model.coefficients(), now);
}

TEST(DynamicAveraging, PredictsTheMeanDuringStartUp) {
    const Table table = factor_table(10, 10, 4, 1);
    DynamicAveraging model(4, 1, {.start_up = 10});
    double sum = 0.0;
    double predicted = 0.0;
    for (std::size_t t = 0; t < 9; ++t) {
        model.learn(table.x_row(t), table.y_row(t));
        sum += table.y_row(t)[0];
        model.predict(table.x_row(0), {&predicted, 1});
        EXPECT_NEAR(predicted, sum / static_cast<double>(t + 1), 1e-12);
    }
    EXPECT_EQ(model.coefficients(), Matrix(4, 1));
}

// x (R'R)^-1 x' for one input and no intercept is x^2 / (delta + sum of squares).
TEST(RecursiveLeastSquares, LeverageIsTheVarianceOfThePrediction) {
    RecursiveLeastSquares model(1, 1, {.forgetting = 1.0, .regularisation = 2.0, .intercept = false});
    EXPECT_NEAR(model.leverage(std::vector{3.0}), 9.0 / 2.0, 1e-14);
    model.learn(std::vector{1.0}, std::vector{5.0});
    model.learn(std::vector{2.0}, std::vector{1.0});
    EXPECT_NEAR(model.leverage(std::vector{3.0}), 9.0 / 7.0, 1e-14);
    EXPECT_THROW((void)model.leverage(std::vector{3.0, 1.0}), DataError);
}

TEST(DynamicAveraging, MistakesAreRefused) {
    try {
        const DynamicAveraging model(3, 1,
                                     {.forgetting = {},
                                      .model_forgetting = 0.0,
                                      .variance_forgetting = 1.0,
                                      .regularisation = nan,
                                      .start_up = 1});
        FAIL() << "accepted";
    } catch (const OptionError& error) {
        EXPECT_EQ(error.problems().size(), 5U);
    }
    EXPECT_EQ((DynamicAveragingOptions{.forgetting = {0.9, nan}}).problems().size(), 1U);
    EXPECT_TRUE((DynamicAveragingOptions{.forgetting = {1.0},
                                         .model_forgetting = 1.0,
                                         .variance_forgetting = 0.0,
                                         .regularisation = 1e-12,
                                         .start_up = 2})
                    .problems()
                    .empty());
}

}  // namespace
}  // namespace sluice::test
