// Gaps in the stream: what is missing is NaN, and the stream goes on.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sluice/model.hpp"
#include "sluice/score.hpp"
#include "support/streams.hpp"

namespace sluice::missing_test {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

TEST(Missing, ARowWithoutOutputsIsPredictedOnly) {
    const auto table = test::factor_table(61, 60, 6, 2);
    StreamModel model(6, 2);
    model.learn_many(table.all_x(), table.all_y());
    const auto selected = std::vector(model.selected().begin(), model.selected().end());
    const auto coefficients = model.coefficients();
    const double weight = model.weight();
    const std::vector<double> nothing(2, kNaN);
    const auto predicted = model.predict(table.x_row(5));
    const StepReport report = model.learn(table.x_row(5), nothing);
    EXPECT_EQ(report.outcome, Outcome::outputs_missing);
    EXPECT_EQ(report.missing_outputs, 2U);
    EXPECT_EQ(report.error_before, 0.0);
    EXPECT_TRUE(std::ranges::equal(report.predicted, predicted));
    EXPECT_TRUE(std::ranges::equal(report.selected, selected));
    EXPECT_EQ(model.coefficients(), coefficients);
    EXPECT_EQ(model.weight(), weight);
    EXPECT_EQ(model.rows_met(), 61U);
    EXPECT_EQ(model.rows_learned(), 60U);
}

TEST(Missing, AMissingInputIsPredictedWithAtItsMean) {
    const auto table = test::factor_table(62, 60, 6, 1);
    StreamModel model(6, 1);
    model.learn_many(table.all_x(), table.all_y());
    std::vector<double> x(table.x_row(3).begin(), table.x_row(3).end());
    x[2] = model.input_means()[2];
    const double at_mean = model.predict(x)[0];
    x[2] = kNaN;
    EXPECT_NEAR(model.predict(x)[0], at_mean, 1e-12);
    const double y = 0.0;
    EXPECT_EQ(model.learn(x, {&y, 1}).missing_inputs, 1U);
}

TEST(Missing, WithATenthOfTheInputsMissingTheRightOnesAreSelectedAndR2IsAbove075) {
    auto table = test::factor_table(63, 600, 10, 1);
    NormalSource normal(1);
    for (double& value : table.x) {
        value = normal.next() > 1.2816 ? kNaN : value;  // one in ten
    }
    StreamModel model(10, 1, {.components = 3, .keep = {1}, .forgetting = 0.99});
    Score score;
    for (std::size_t t = 0; t < table.rows(); ++t) {
        const auto report = model.learn(table.x_row(t), table.y_row(t));
        if (t > 50) {
            score.add(table.y_row(t)[0], report.predicted[0]);
        }
    }
    EXPECT_GT(score.r2(), 0.75);  // a tenth of each of the three inputs' shares is lost
    EXPECT_TRUE(std::ranges::equal(model.selected(), std::vector<std::size_t>{0, 1, 2}));
}

// Output 2 is there every fifth row only. Learning it from those rows alone, against moments of the inputs from all
// rows, would leave a mismatch between C and M (R2 0.71 in this test, 0.99 if it were always there); filling in the
// model's own prediction leaves none.
TEST(Missing, AnOutputSeenNowAndThenIsLearntFromThoseRows) {
    const auto table = test::factor_table(64, 3000, 8, 2);
    StreamModel model(8, 2, {.forgetting = 0.98});
    Score score;
    for (std::size_t t = 0; t < table.rows(); ++t) {
        std::vector<double> y(table.y_row(t).begin(), table.y_row(t).end());
        const double truth = y[1];
        y[1] = t % 5 == 0 ? truth : kNaN;
        const auto report = model.learn(table.x_row(t), y);
        EXPECT_EQ(report.missing_outputs, t % 5 == 0 ? 0U : 1U);
        if (t > 500) {
            score.add(truth, report.predicted[1]);
        }
    }
    EXPECT_GT(score.r2(), 0.96);
}

TEST(Missing, AnOutputAbsentForTenThousandRowsComesBackWithoutHarm) {
    for (const double forgetting : {0.9, 0.98, 1.0}) {
        const auto table = test::factor_table(65, 11000, 8, 2);
        StreamModel with_gap(8, 2, {.forgetting = forgetting});
        StreamModel without(8, 2, {.forgetting = forgetting});
        Score meanwhile;  // predicted though absent
        Score returned;
        Score reference;
        Score other;
        Score other_reference;
        for (std::size_t t = 0; t < table.rows(); ++t) {
            std::vector<double> y(table.y_row(t).begin(), table.y_row(t).end());
            const auto full = without.learn(table.x_row(t), y);
            const double truth = y[1];
            const bool absent = t >= 500 && t < 10500;
            y[1] = absent ? kNaN : truth;
            const auto report = with_gap.learn(table.x_row(t), y);
            for (const double value : report.predicted) {
                ASSERT_TRUE(std::isfinite(value));
            }
            if (t >= 10500) {
                returned.add(truth, report.predicted[1]);
                reference.add(truth, full.predicted[1]);
            }
            if (absent) {
                meanwhile.add(truth, report.predicted[1]);
                other.add(y[0], report.predicted[0]);
                other_reference.add(y[0], full.predicted[0]);
            }
        }
        EXPECT_GT(meanwhile.r2(), reference.r2() - 0.05) << "forgetting " << forgetting;
        EXPECT_GT(returned.r2(), reference.r2() - 0.02) << "forgetting " << forgetting;
        EXPECT_GT(other.r2(), other_reference.r2() - 0.02) << "forgetting " << forgetting;
    }
}

TEST(Missing, AnOutputThatAppearsLateIsLearntAtFullStrength) {
    // Its moments weigh less than the inputs': without bringing them to equal weight its coefficients would be a tenth.
    const auto table = test::factor_table(66, 2200, 6, 2);
    StreamModel model(6, 2, {.forgetting = 1.0});
    Score score;
    for (std::size_t t = 0; t < table.rows(); ++t) {
        std::vector<double> y(table.y_row(t).begin(), table.y_row(t).end());
        y[1] = t < 2000 ? kNaN : y[1];
        const auto report = model.learn(table.x_row(t), y);
        if (t >= 2050) {
            score.add(y[1], report.predicted[1]);
        }
    }
    EXPECT_GT(score.r2(), 0.9);
}

}  // namespace
}  // namespace sluice::missing_test
