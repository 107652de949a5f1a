#include "sluice/model.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "sluice/error.hpp"
#include "sluice/fit.hpp"
#include "sluice/score.hpp"
#include "sluice/simulate.hpp"
#include "support/streams.hpp"

namespace sluice::model_test {
namespace {

using Set = std::set<std::size_t>;

Set set_of(std::span<const std::size_t> list) {
    return {list.begin(), list.end()};
}

TEST(StreamModel, FollowsTheInputsThatMatterWhenTheyChange) {
    StreamModel model(10, 1, {.components = 2, .keep = {1}, .forgetting = 0.95});
    NormalSource normal(1);
    std::vector<double> x(10);
    StepReport report;
    bool entered = false;
    bool left = false;
    for (int t = 0; t < 600; ++t) {
        std::ranges::generate(x, [&] { return normal.next(); });
        const double y = (2.0 * x[t < 300 ? 3 : 2]) - x[7];
        report = model.learn(x, {&y, 1});
        if (t == 299) {
            EXPECT_EQ(set_of(report.selected), (Set{3, 7}));
        }
        entered = entered || (t > 300 && set_of(report.entered).contains(2));
        left = left || (t > 300 && set_of(report.left).contains(3));
    }
    EXPECT_EQ(set_of(report.selected), (Set{2, 7}));
    EXPECT_TRUE(entered && left);
    EXPECT_EQ(report.row, 599U);
    EXPECT_EQ(report.outcome, Outcome::learned);
    EXPECT_EQ(model.rows_met(), 600U);
    EXPECT_NEAR(model.weight(), 20.0, 1e-6);
    EXPECT_NEAR(model.coefficients()(2, 0), 2.0, 0.6);  // shrunk by 5 rows' worth of 20
}

TEST(StreamModel, KeepsExactlyTheRequestedNumberForEveryPenalty) {
    const auto table = test::factor_table(31, 60, 16, 2);
    for (const Penalty penalty : {Penalty::lasso, Penalty::hard, Penalty::elastic_net, Penalty::scad, Penalty::mcp,
                                  Penalty::adaptive_lasso, Penalty::group_lasso}) {
        for (const Deflation deflation : {Deflation::project, Deflation::refit}) {
            StreamOptions options{.components = 3, .keep = {4}, .deflation = deflation, .penalty = penalty};
            if (penalty == Penalty::group_lasso) {
                options.groups = {0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7};
            }
            StreamModel model(16, 2, options);
            for (std::size_t t = 0; t < table.rows(); ++t) {
                model.learn(table.x_row(t), table.y_row(t));
                for (std::size_t r = 0; r < 3 && t > 3; ++r) {
                    ASSERT_EQ(model.selected(r).size(), 4U) << "penalty " << static_cast<int>(penalty) << " row " << t;
                    double square = 0.0;
                    for (const double u : model.weights(r)) {
                        square += u * u;
                    }
                    ASSERT_NEAR(square, 1.0, 1e-12);
                }
            }
        }
    }
}

TEST(StreamModel, KeepCanDifferBetweenComponents) {
    const auto table = test::factor_table(32, 60, 12, 1);
    StreamModel model(12, 1, {.components = 3, .keep = {5, 1, 3}});
    model.learn_many(table.all_x(), table.all_y());
    EXPECT_EQ(model.selected(0).size(), 5U);
    EXPECT_EQ(model.selected(1).size(), 1U);
    EXPECT_EQ(model.selected(2).size(), 3U);
}

TEST(StreamModel, NamesLimitAllComponentsTogether) {
    const auto table = test::factor_table(33, 200, 20, 3);
    for (const Deflation deflation : {Deflation::project, Deflation::refit}) {
        StreamModel model(20, 3, {.components = 4, .keep = {4}, .names = 7, .deflation = deflation});
        for (std::size_t t = 0; t < table.rows(); ++t) {
            model.learn(table.x_row(t), table.y_row(t));
            ASSERT_LE(model.selected().size(), 7U);
        }
        EXPECT_EQ(model.selected().size(), 7U);
    }
}

TEST(StreamModel, AFixedThresholdLetsTheNumberVary) {
    const auto table = test::factor_table(34, 100, 20, 1);
    std::set<std::size_t> sizes;
    StreamModel model(20, 1, {.components = 1, .gamma = 0.25});
    for (std::size_t t = 0; t < table.rows(); ++t) {
        model.learn(table.x_row(t), table.y_row(t));
        sizes.insert(model.selected(0).size());
    }
    EXPECT_GT(sizes.size(), 1U);
    EXPECT_LT(*sizes.rbegin(), 20U);
}

TEST(StreamModel, TheLargestWeightOfEachComponentIsPositive) {
    const auto table = test::factor_table(35, 100, 12, 2);
    StreamModel model(12, 2, {.components = 3, .keep = {3}, .deflation = Deflation::project});
    for (std::size_t t = 0; t < table.rows(); ++t) {
        model.learn(table.x_row(t), table.y_row(t));
        for (std::size_t r = 0; r < 3 && t > 1; ++r) {
            const auto u = model.weights(r);
            EXPECT_GT(*std::ranges::max_element(u, {}, [](double a) { return std::abs(a); }), 0.0);
        }
    }
}

TEST(StreamModel, PredictsByItsCoefficientsAndIntercept) {
    const auto table = test::factor_table(36, 100, 9, 2);
    for (const bool center : {true, false}) {
        StreamModel model(9, 2, {.center = center, .clip = std::nullopt});
        model.learn_many(table.all_x(), table.all_y());
        const Matrix beta = model.coefficients();
        const auto intercept = model.intercept();
        const auto x = table.x_row(17);
        const auto predicted = model.predict(x);
        for (std::size_t k = 0; k < 2; ++k) {
            double y = intercept[k];
            for (std::size_t j = 0; j < 9; ++j) {
                y += x[j] * beta(j, k);
            }
            EXPECT_NEAR(predicted[k], y, 1e-12);
        }
    }
}

TEST(StreamModel, InputsFarOutAreMovedToTheClippingBound) {
    const auto table = test::factor_table(37, 200, 4, 1);
    StreamModel model(4, 1, {.components = 1, .keep = {4}, .clip = 3.0});
    model.learn_many(table.all_x(), table.all_y());
    std::vector<double> at_bound = model.input_means();
    std::vector<double> beyond = at_bound;
    at_bound[0] += 3.0 * model.input_deviations()[0];
    beyond[0] = 1e9;
    EXPECT_NEAR(model.predict(beyond)[0], model.predict(at_bound)[0], 1e-12);
    EXPECT_GT(std::abs(model.predict(at_bound)[0] - model.output_means()[0]), 1.0);
}

TEST(StreamModel, WithoutForgettingTheMomentsAreThoseOfTheWholeTable) {
    const auto table = test::factor_table(38, 150, 7, 2);
    StreamModel model(7, 2, {.forgetting = 1.0});
    model.learn_many(table.all_x(), table.all_y());
    const Matrix C = model.input_moments();
    const Matrix M = model.cross_moments();
    const auto mean_x = model.input_means();
    const auto mean_y = model.output_means();
    for (std::size_t i = 0; i < 7; ++i) {
        for (std::size_t j = 0; j < 7; ++j) {
            long double sum = 0.0L;
            for (std::size_t t = 0; t < table.rows(); ++t) {
                sum += static_cast<long double>(table.x_row(t)[i] - mean_x[i]) *
                       static_cast<long double>(table.x_row(t)[j] - mean_x[j]);
            }
            EXPECT_NEAR(C(i, j), static_cast<double>(sum), 1e-12 * std::sqrt(C(i, i) * C(j, j)));
        }
        for (std::size_t k = 0; k < 2; ++k) {
            long double sum = 0.0L;
            for (std::size_t t = 0; t < table.rows(); ++t) {
                sum += static_cast<long double>(table.x_row(t)[i] - mean_x[i]) *
                       static_cast<long double>(table.y_row(t)[k] - mean_y[k]);
            }
            EXPECT_NEAR(M(i, k), static_cast<double>(sum), 1e-12 * std::abs(M(i, k)) + 1e-10);
        }
    }
}

TEST(StreamModel, MergedModelsHaveTheMomentsOfOneThatSawAllRows) {
    const auto table = test::factor_table(39, 300, 8, 2);
    const StreamOptions options{.forgetting = 0.98};
    StreamModel whole(8, 2, options);
    StreamModel first(8, 2, options);
    StreamModel second(8, 2, options);
    for (std::size_t t = 0; t < 300; ++t) {
        whole.learn(table.x_row(t), table.y_row(t));
        (t < 120 ? first : second).learn(table.x_row(t), table.y_row(t));
    }
    first.merge(second);
    EXPECT_EQ(first.rows_met(), 300U);
    EXPECT_NEAR(first.weight(), whole.weight(), 1e-12 * whole.weight());
    const Matrix ours = first.input_moments();
    const Matrix theirs = whole.input_moments();
    for (std::size_t i = 0; i < 8; ++i) {
        for (std::size_t j = 0; j < 8; ++j) {
            EXPECT_NEAR(ours(i, j), theirs(i, j), 1e-12 * std::sqrt(theirs(i, i) * theirs(j, j)));
        }
    }
    const Matrix our_cross = first.cross_moments();
    const Matrix their_cross = whole.cross_moments();
    for (std::size_t j = 0; j < 8; ++j) {
        for (std::size_t k = 0; k < 2; ++k) {
            EXPECT_NEAR(our_cross(j, k), their_cross(j, k), 1e-10 * (1.0 + std::abs(their_cross(j, k))));
        }
        EXPECT_NEAR(first.input_means()[j], whole.input_means()[j], 1e-12 * (1.0 + std::abs(whole.input_means()[j])));
    }
    EXPECT_EQ(set_of(first.selected()), set_of(whole.selected()));
    EXPECT_NEAR(first.predict(table.x_row(0))[0], whole.predict(table.x_row(0))[0], 1e-6);
    StreamModel other(8, 2, {.forgetting = 0.5});
    EXPECT_THROW(first.merge(other), DataError);
}

TEST(StreamModel, AskingForWhatIsNotThereIsAnError) {
    const StreamModel model(8, 1);
    EXPECT_THROW((void)model.weights(model.components()), DataError);
    EXPECT_THROW((void)model.selected(99), DataError);
    const std::vector<double> seven(7);
    EXPECT_THROW(Rows(seven, 2), std::invalid_argument);
    EXPECT_THROW(Rows(seven, 0), std::invalid_argument);
}

TEST(StreamModel, MergingWithAnEmptyModelChangesNeitherSelectionNorPrediction) {
    const auto table = test::factor_table(40, 100, 8, 1);
    StreamModel model(8, 1);
    model.learn_many(table.all_x(), table.all_y());
    const StreamModel before = model;
    model.merge(StreamModel(8, 1));
    StreamModel empty(8, 1);
    empty.merge(before);
    for (const StreamModel* merged : {&model, &empty}) {
        EXPECT_EQ(set_of(merged->selected()), set_of(before.selected()));
        EXPECT_EQ(merged->weight(), before.weight());
        for (std::size_t t = 0; t < table.rows(); ++t) {  // to rounding: the fit is computed again
            const double expected = before.predict(table.x_row(t))[0];
            ASSERT_NEAR(merged->predict(table.x_row(t))[0], expected, 1e-9 * (1.0 + std::abs(expected))) << "row " << t;
        }
    }
}

}  // namespace
}  // namespace sluice::model_test
