#include "online_lasso.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "sluice/error.hpp"
#include "support/streams.hpp"

namespace sluice::test {
namespace {

using baselines::OnlineLasso;
using baselines::OnlineLassoOptions;

std::vector<std::size_t> names_of(const OnlineLasso& model, std::size_t output) {
    const Matrix b = model.coefficients();
    std::vector<std::size_t> names;
    for (std::size_t j = 0; j < b.rows(); ++j) {
        if (b(j, output) != 0.0) {
            names.push_back(j);
        }
    }
    return names;
}

// c = r - R b:  |c_j| <= gamma, and c_j = gamma sign(b_j) where b_j is not 0.
// From row 25 on: with fewer rows than twice the inputs the descent may stop at its limit of sweeps.
TEST(OnlineLasso, SatisfiesTheConditionsOfTheMinimumAtEveryRow) {
    const std::size_t p = 12;
    const Table table = factor_table(11, 150, p, 2);
    OnlineLasso model(p, 2, {.forgetting = 0.97, .names = 8});
    std::vector<double> r(p);
    std::vector<double> R(p);
    for (std::size_t t = 0; t < table.rows(); ++t) {
        model.learn(table.x_row(t), table.y_row(t));
        for (std::size_t k = 0; t >= 25 && k < 2; ++k) {
            const auto b = model.lasso(k);
            model.moments().output_correlations(k, r);
            for (std::size_t j = 0; j < p; ++j) {
                model.moments().correlations(j, R);
                double c = r[j];
                for (std::size_t i = 0; i < p; ++i) {
                    c -= R[i] * b[i];
                }
                // The descent stops where a coefficient moves by 1e-6; the others of 12 may have moved as much since.
                EXPECT_LE(std::abs(c), model.penalty(k) + 2e-5) << "row " << t;
                if (b[j] != 0.0) {
                    EXPECT_NEAR(c, std::copysign(model.penalty(k), b[j]), 2e-5) << "row " << t;
                }
            }
        }
    }
}

TEST(OnlineLasso, FollowsAChangeOfTheInputsThatMatter) {
    const std::size_t p = 20;
    const Table table = factor_table(12, 600, p, 1);
    NormalSource normal(1);
    OnlineLasso model(p, 1, {.forgetting = 0.97, .names = 4});
    for (std::size_t t = 0; t < table.rows(); ++t) {
        const auto x = table.x_row(t);
        const double y = (2.0 * x[t < 300 ? 3 : 15]) - x[7] + normal.next(0.0, 0.5);
        model.learn(x, {&y, 1});
        if (t == 299 || t == 599) {
            const auto names = names_of(model, 0);
            EXPECT_TRUE(std::ranges::binary_search(names, std::size_t{7}));
            EXPECT_EQ(std::ranges::binary_search(names, std::size_t{3}), t == 299);
            EXPECT_EQ(std::ranges::binary_search(names, std::size_t{15}), t == 599);
        }
    }
}

TEST(OnlineLasso, RaisesThePenaltyUntilTheNamesFit) {
    const std::size_t p = 30;
    const Table table = factor_table(13, 200, p, 2);
    for (const std::size_t names : {1U, 3U, 7U}) {
        OnlineLasso model(p, 2, {.forgetting = 0.98, .names = names});
        for (std::size_t t = 0; t < table.rows(); ++t) {
            model.learn(table.x_row(t), table.y_row(t));
            EXPECT_LE(names_of(model, 0).size(), (names + 1) / 2) << "row " << t;
            EXPECT_LE(names_of(model, 1).size(), names / 2) << "row " << t;
        }
        EXPECT_GE(names_of(model, 0).size(), 1U);
    }
}

TEST(OnlineLasso, FewInputsAreSelectedFromNoise) {
    NormalSource normal(5);
    OnlineLasso model(10, 1, {.forgetting = 0.995, .names = 10});
    std::vector<double> x(10);
    double selected = 0.0;
    for (int t = 0; t < 1000; ++t) {
        for (double& value : x) {
            value = normal.next();
        }
        const double y = normal.next();
        model.learn(x, {&y, 1});
        selected += t >= 500 ? static_cast<double>(names_of(model, 0).size()) / 500.0 : 0.0;
    }
    EXPECT_LT(selected, 4.0);  // AIC alone keeps an input of noise where its t exceeds 1.4: 1.6 of 10
}

TEST(OnlineLasso, MistakesAreRefused) {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    try {
        const OnlineLasso model(
            3, 1, {.forgetting = nan, .names = 0, .first_penalty = 0.0, .step = 1.0, .refit = true, .shrinkage = nan});
        FAIL() << "accepted";
    } catch (const OptionError& error) {
        EXPECT_EQ(error.problems().size(), 5U);
    }
    EXPECT_TRUE(
        (OnlineLassoOptions{.forgetting = 0.5, .names = 1, .first_penalty = 1.0, .step = 10.0}).problems().empty());
    EXPECT_EQ(OnlineLassoOptions{.forgetting = 0.49}.problems().size(), 1U);
    EXPECT_EQ(OnlineLassoOptions{.forgetting = 1.01}.problems().size(), 1U);
    EXPECT_EQ(OnlineLassoOptions{.step = 10.5}.problems().size(), 1U);
    EXPECT_EQ(OnlineLassoOptions{.first_penalty = 1.5}.problems().size(), 1U);
}

}  // namespace
}  // namespace sluice::test
