// Against numpy (latent_reference.txt), which follows the paper's recursions row by row.
#include "lwpr_pls.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "latent_reference.hpp"
#include "sluice/error.hpp"

namespace sluice::test {
namespace {

using baselines::LwprPls;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

TEST(LwprPls, PredictsAndAddsProjectionsAsThePaperSays) {
    for (const std::size_t output : {0U, 1U}) {
        const Table table = reference_table(1, output);
        const Matrix& expected = reference(output == 0 ? "lwpr_0" : "lwpr_1");
        LwprPls model(table.p, 1, {.forgetting = 0.97, .add = 0.95, .most = 5, .trial = 10});
        for (std::size_t t = 0; t < table.rows(); ++t) {
            EXPECT_NEAR(predicted_by(model, table.x_row(t), 1)[0], expected(t, 0), 1e-8) << "row " << t;
            EXPECT_EQ(static_cast<double>(model.projections(0)), expected(t, 1)) << "row " << t;
            model.learn(table.x_row(t), table.y_row(t));
        }
    }
}

TEST(LwprPls, OutputsDoNotTouchEachOther) {
    const Table both = reference_table();
    const Table second = reference_table(1, 1);
    LwprPls two(both.p, 2);
    LwprPls one(both.p, 1);
    learn_all(two, both);
    learn_all(one, second);
    EXPECT_EQ(predicted_by(two, both.x_row(3), 2)[1], predicted_by(one, both.x_row(3), 1)[0]);
}

TEST(LwprPls, AMissingOutputChangesNothingOfItsProjections) {
    const Table table = reference_table();
    LwprPls model(table.p, 2, {.forgetting = 1.0});
    learn_all(model, table);
    const std::size_t projections = model.projections(0);
    const double mean_square = model.mean_square(0, 0);
    model.learn(table.x_row(0), std::vector<double>{nan, 1.0});
    EXPECT_EQ(model.projections(0), projections);
    EXPECT_EQ(model.mean_square(0, 0), mean_square);
}

TEST(LwprPls, AProjectionIsAddedOnlyWhereTheLastOneLoweredTheError) {
    const Table table = factor_table(2, 1500, 10, 1);
    LwprPls never(10, 1, {.forgetting = 0.995, .add = 0.0});
    LwprPls easily(10, 1, {.forgetting = 0.995, .add = 0.98, .most = 10});
    for (std::size_t t = 0; t < table.rows(); ++t) {
        const std::size_t before = easily.projections(0);
        never.learn(table.x_row(t), table.y_row(t));
        easily.learn(table.x_row(t), table.y_row(t));
        if (easily.projections(0) > before) {
            EXPECT_LT(easily.mean_square(0, before - 1), 0.98 * easily.mean_square(0, before - 2));
        }
    }
    EXPECT_EQ(never.projections(0), 2U);
    EXPECT_GT(easily.projections(0), 3U);
    EXPECT_LT(easily.mean_square(0, 3), 0.5 * easily.mean_square(0, 1));
}

TEST(LwprPls, TheCoefficientsAreThoseThatPredict) {
    const Table table = reference_table();
    LwprPls model(table.p, 2, {.forgetting = 0.98, .add = 0.98, .trial = 5});
    learn_all(model, table);
    const Matrix b = model.coefficients();
    const auto from = predicted_by(model, table.x_row(60), 2);
    const auto to = predicted_by(model, table.x_row(65), 2);
    for (std::size_t k = 0; k < 2; ++k) {
        double difference = 0.0;
        for (std::size_t j = 0; j < table.p; ++j) {
            difference += (table.x_row(65)[j] - table.x_row(60)[j]) * b(j, k);
        }
        EXPECT_NEAR(to[k] - from[k], difference, 1e-9 * std::abs(to[k]));
    }
}

TEST(LwprPls, MistakesAreRefused) {
    try {
        const LwprPls model(3, 1, {.forgetting = nan, .add = 1.5, .most = 1});
        FAIL() << "accepted";
    } catch (const OptionError& error) {
        EXPECT_EQ(error.problems().size(), 3U);
    }
    EXPECT_NO_THROW(LwprPls(1, 1, {.forgetting = 0.5, .add = 1.0, .most = 2}));
}

}  // namespace
}  // namespace sluice::test
