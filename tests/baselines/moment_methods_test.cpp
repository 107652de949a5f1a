// Ridge and LARS on weighted moments: their defining equations. tests/baselines/online_methods_test.cpp compares them with
// scikit-learn.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "lars.hpp"
#include "moment_ridge.hpp"
#include "online_lars.hpp"
#include "sluice/error.hpp"
#include "support/streams.hpp"

namespace sluice::test {
namespace {

using baselines::MomentRidge;
using baselines::MomentRidgeOptions;
using baselines::OnlineLars;
using baselines::OnlineLarsOptions;
using baselines::WeightedMoments;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// (R + kappa I) b = r, with b in standard units.
TEST(MomentRidge, SolvesTheNormalEquations) {
    const std::size_t p = 7;
    const Table table = factor_table(21, 90, p, 2);
    const double kappa = 0.2;
    MomentRidge model(p, 2, {.forgetting = 0.95, .shrinkage = kappa});
    WeightedMoments moments(p, 2, 0.95);
    for (std::size_t t = 0; t < table.rows(); ++t) {
        model.learn(table.x_row(t), table.y_row(t));
        moments.add(table.x_row(t), table.y_row(t));
    }
    const Matrix b = model.coefficients();
    std::vector<double> R(p);
    std::vector<double> r(p);
    for (std::size_t k = 0; k < 2; ++k) {
        moments.output_correlations(k, r);
        std::vector<double> standard(p);
        for (std::size_t j = 0; j < p; ++j) {
            const double input = moments.input_unit(j) / moments.input_scale(j);
            const double output = moments.output_unit(k) / moments.output_scale(k);
            standard[j] = b(j, k) * input / output;
        }
        for (std::size_t j = 0; j < p; ++j) {
            moments.correlations(j, R);
            double left = kappa * standard[j];
            for (std::size_t i = 0; i < p; ++i) {
                left += R[i] * standard[i];
            }
            EXPECT_NEAR(left, r[j], 1e-13);  // some ten roundings of numbers below 1
        }
    }
}

TEST(MomentRidge, SolvesWhenItIsDue) {
    const Table table = factor_table(22, 40, 5, 1);
    MomentRidge model(5, 1, {.solve_every = 10});
    Matrix before = model.coefficients();
    for (std::size_t t = 0; t < 40; ++t) {
        model.learn(table.x_row(t), table.y_row(t));
        const Matrix after = model.coefficients();
        EXPECT_EQ(after == before, (t + 1) % 10 != 0) << "row " << t;
        before = after;
    }
}

TEST(MomentRidge, MistakesAreRefused) {
    try {
        const MomentRidge model(3, 1, {.forgetting = nan, .shrinkage = nan, .solve_every = 0});
        FAIL() << "accepted";
    } catch (const OptionError& error) {
        EXPECT_EQ(error.problems().size(), 3U);
    }
    EXPECT_TRUE((MomentRidgeOptions{.forgetting = 1.0, .shrinkage = 1e-9, .solve_every = 1}).problems().empty());
    EXPECT_TRUE((MomentRidgeOptions{.forgetting = 0.5, .shrinkage = 1e9, .solve_every = 99}).problems().empty());
}

// With the whole of G and as many names as inputs, least squares; with few, those that LARS on the same moments names.
TEST(OnlineLars, UsesTheNamesOfLarsOnTheWeightedMoments) {
    const std::size_t p = 15;
    const Table table = factor_table(23, 120, p, 2);
    OnlineLars model(p, 2, {.forgetting = 0.96, .names = 7});
    WeightedMoments moments(p, 2, 0.96);
    for (std::size_t t = 0; t < table.rows(); ++t) {
        model.learn(table.x_row(t), table.y_row(t));
        moments.add(table.x_row(t), table.y_row(t));
    }
    Matrix gram(p, p);
    for (std::size_t j = 0; j < p; ++j) {
        moments.correlations(j, gram.column(j));
    }
    std::vector<double> r(p);
    for (std::size_t k = 0; k < 2; ++k) {
        moments.output_correlations(k, r);
        auto expected = baselines::lars(gram, r, {.max_names = k == 0 ? 4 : 3}).active;
        std::ranges::sort(expected);
        std::vector<std::size_t> found;
        for (std::size_t j = 0; j < p; ++j) {
            if (model.coefficients()(j, k) != 0.0) {
                found.push_back(j);
            }
        }
        EXPECT_EQ(found, expected);
    }
}

TEST(OnlineLars, AMissingOutputIsFilledWithThePrediction) {
    const Table table = factor_table(24, 100, 6, 2);
    const OnlineLarsOptions options{.forgetting = 0.95, .names = 6};
    OnlineLars gaps(6, 2, options);
    OnlineLars filled(6, 2, options);
    for (std::size_t t = 0; t < table.rows(); ++t) {
        std::vector<double> y(table.y_row(t).begin(), table.y_row(t).end());
        std::vector<double> own = y;
        if (t > 0 && t % 6 == 0) {
            std::vector<double> predicted(2);
            filled.predict(table.x_row(t), predicted);
            y[1] = nan;
            own[1] = predicted[1];
        }
        gaps.learn(table.x_row(t), y);
        filled.learn(table.x_row(t), own);
    }
    EXPECT_EQ(gaps.coefficients(), filled.coefficients());
}

TEST(OnlineLars, MistakesAreRefused) {
    try {
        const OnlineLars model(3, 1, {.forgetting = nan, .names = 0, .select_every = 0, .shrinkage = nan});
        FAIL() << "accepted";
    } catch (const OptionError& error) {
        EXPECT_EQ(error.problems().size(), 4U);
    }
    EXPECT_TRUE(
        (OnlineLarsOptions{.forgetting = 1.0, .names = 1, .select_every = 1, .shrinkage = 1e12}).problems().empty());
    EXPECT_TRUE((OnlineLarsOptions{.forgetting = 0.5, .shrinkage = 1e-12}).problems().empty());
}

}  // namespace
}  // namespace sluice::test
