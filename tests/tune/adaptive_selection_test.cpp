// Left alone it selects: the names that drive the output, no others, and none where there is nothing to find.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "breaking.hpp"
#include "sluice/adaptive.hpp"
#include "sluice/simulate.hpp"

namespace sluice::adaptive_selection_test {
namespace {

using Variables = std::vector<std::size_t>;

std::vector<double> normal_row(NormalSource& normal, std::size_t p) {
    std::vector<double> x(p);
    std::ranges::generate(x, [&] { return normal.next(); });
    return x;
}

// Seen, with the tuner before: at the end of this stream it held 20 of the 30 inputs, 19 of them with coefficients near zero.
TEST(AdaptiveSelection, HoldsExactlyTheNamesThatDriveTheOutputBeforeAChangeAndAtTheEnd) {
    constexpr std::size_t p = 30;
    constexpr std::size_t kChange = 400;
    constexpr std::size_t kRows = 800;
    for (const double noise : {0.0, 0.1, 0.5, 1.0}) {
        std::size_t right_rows = 0;
        std::size_t rows = 0;
        for (const std::uint64_t seed : {1U, 2U, 3U, 4U, 5U, 6U, 7U, 8U}) {
            SCOPED_TRACE(testing::Message() << "seed " << seed << ", noise " << noise);
            NormalSource normal(seed);
            AdaptiveModel model(p, 1);
            for (std::size_t t = 0; t < kRows; ++t) {
                const auto x = normal_row(normal, p);
                const double y = (t < kChange ? (2.0 * x[3]) - x[7] : 3.0 * x[12]) + normal.next(0.0, noise);
                const auto report = model.learn(x, {&y, 1});
                const Variables truth = t < kChange ? Variables{3, 7} : Variables{12};
                if (t == kChange - 1 || t == kRows - 1) {
                    EXPECT_EQ(Variables(report.selected.begin(), report.selected.end()), truth) << "row " << t;
                }
                if ((t >= 100 && t < kChange) || t >= kChange + 50) {
                    right_rows += std::ranges::equal(report.selected, truth) ? 1U : 0U;
                    ++rows;
                }
            }
            EXPECT_EQ(model.importances().size(), 1U);
            EXPECT_NEAR(model.importances()[0].contribution, 1.0, 0.2);
            EXPECT_NEAR(model.importances()[0].gain, 1.0, 0.2);
            EXPECT_NEAR(model.coefficients()(12, 0), 3.0, 0.2);
        }
        RecordProperty("rows_with_exactly_the_names_at_noise_" + std::to_string(noise),
                       std::to_string(static_cast<double>(right_rows) / static_cast<double>(rows)));
        EXPECT_GE(static_cast<double>(right_rows), 0.7 * static_cast<double>(rows)) << noise;
    }
}

TEST(AdaptiveSelection, TheNewNameIsInWithinThirtyRowsOfTheChange) {
    constexpr std::size_t p = 30;
    constexpr std::size_t kChange = 400;
    for (const std::uint64_t seed : {1U, 2U, 3U, 4U, 5U, 6U, 7U, 8U}) {
        NormalSource normal(seed);
        AdaptiveModel model(p, 1);
        std::size_t in = 0;
        for (std::size_t t = 0; t < 460; ++t) {
            const auto x = normal_row(normal, p);
            const double y = (t < kChange ? (2.0 * x[3]) - x[7] : 3.0 * x[12]) + normal.next(0.0, 0.2);
            const auto report = model.learn(x, {&y, 1});
            if (t >= kChange && in == 0 && std::ranges::binary_search(report.selected, 12U)) {
                in = t - kChange + 1;
            }
        }
        EXPECT_GE(in, 1U) << "seed " << seed;
        EXPECT_LE(in, 30U) << "seed " << seed;
    }
}

TEST(AdaptiveSelection, OnPureNoiseNoNameIsSelectedInNinetyFivePercentOfTheRows) {
    constexpr std::size_t kRows = 900;
    for (const std::size_t p : {30U, 100U}) {
        std::size_t none = 0;
        std::size_t all = 0;
        for (std::uint64_t seed = 1; seed <= 20; ++seed) {
            NormalSource normal(seed);
            AdaptiveModel model(p, 1);
            for (std::size_t t = 0; t < kRows; ++t) {
                const auto x = normal_row(normal, p);
                const double y = normal.next(10.0, 3.0);
                none += model.learn(x, {&y, 1}).selected.empty() ? 1U : 0U;
                ++all;
            }
        }
        RecordProperty("rows_without_a_name_" + std::to_string(p), std::to_string(none) + " of " + std::to_string(all));
        EXPECT_GE(static_cast<double>(none), 0.95 * static_cast<double>(all)) << p;
    }
}

// AdaptiveModel(12, 1) held all twelve.
TEST(AdaptiveSelection, OfTwelveInputsTheThreeThatMatterAreHeldInNineOfTenRows) {
    std::size_t right = 0;
    std::size_t rows = 0;
    for (const std::uint64_t seed : {1U, 2U, 3U, 4U, 5U, 6U}) {
        NormalSource normal(seed);
        AdaptiveModel model(12, 1);
        for (std::size_t t = 0; t < 500; ++t) {
            const auto x = normal_row(normal, 12);
            const double y = (3.0 * x[0]) - (2.0 * x[5]) + x[11] + normal.next(4.0, 0.5);
            const auto report = model.learn(x, {&y, 1});
            right += t >= 100 && std::ranges::equal(report.selected, Variables{0, 5, 11}) ? 1U : 0U;
            rows += t >= 100 ? 1U : 0U;
        }
        ASSERT_GE(model.importances().size(), 3U);
        EXPECT_EQ(model.importances()[0].input, 0U);
        EXPECT_EQ(model.importances()[1].input, 5U);
        EXPECT_EQ(model.importances()[2].input, 11U);
    }
    EXPECT_GE(static_cast<double>(right), 0.9 * static_cast<double>(rows));
}

TEST(AdaptiveSelection, TheNamesOfTwoOutputsAreFoundTogether) {
    NormalSource normal(1);
    AdaptiveModel model(20, 2);
    for (std::size_t t = 0; t < 400; ++t) {
        const auto x = normal_row(normal, 20);
        const std::vector<double> y = {(2.0 * x[1]) + normal.next(0.0, 0.3), x[8] - x[15] + normal.next(0.0, 0.3)};
        model.learn(x, y);
    }
    EXPECT_TRUE(std::ranges::equal(model.selected(), Variables{1, 8, 15}));
}

TEST(AdaptiveSelection, NamesIsAHardLimitAndMostUsesAllOfIt) {
    const auto table = test::breaking_table(3, {.rows = 300, .p = 15, .q = 2, .every = 100});
    for (const std::size_t limit : {1U, 2U, 5U, 15U, 40U}) {
        for (const Names names : {Names::found, Names::most}) {
            AdaptiveOptions options;
            options.model.names = limit;
            options.tuning.names = names;
            AdaptiveModel model(table.p, table.q, options);
            for (std::size_t t = 0; t < table.rows(); ++t) {
                const auto report = model.learn(table.x_row(t), table.y_row(t));
                ASSERT_LE(report.selected.size(), limit) << "row " << t;
                if (names == Names::most && t >= 40) {
                    ASSERT_EQ(report.selected.size(), std::min<std::size_t>(limit, table.p)) << "row " << t;
                }
            }
        }
    }
}

TEST(AdaptiveSelection, WithoutALimitAtMostFiftyNamesAreFound) {
    constexpr std::size_t p = 80;
    NormalSource normal(2);
    AdaptiveModel model(p, 1);
    std::size_t most = 0;
    for (std::size_t t = 0; t < 700; ++t) {
        const auto x = normal_row(normal, p);
        double y = normal.next(0.0, 0.1);
        for (const double value : x) {  // all of them matter alike
            y += value;
        }
        most = std::max(most, model.learn(x, {&y, 1}).selected.size());
    }
    EXPECT_LE(most, 50U);
    EXPECT_GE(most, 40U);
}

TEST(AdaptiveSelection, AllNamesAreThoseOfEveryMemoryTogether) {
    const auto table = test::breaking_table(4, {.rows = 300, .p = 60, .q = 1, .every = 300});
    Tuning tuning;
    tuning.names = Names::all;
    AdaptiveModel model(table.p, table.q, {.model = {}, .tuning = tuning});
    for (std::size_t t = 0; t < table.rows(); ++t) {
        model.learn(table.x_row(t), table.y_row(t));
    }
    EXPECT_GT(model.selected().size(), 20U);  // each of four memories has up to 20
    EXPECT_LE(model.selected().size(), 60U);
    EXPECT_EQ(model.importances()[0].input, 0U);
    EXPECT_EQ(model.importances()[1].input, 1U);
}

// The order is that of the gains, and a gain is what the error over variance would rise by.
TEST(AdaptiveSelection, ImportancesAreTheSharesOfVarianceThatAreKnown) {
    NormalSource normal(4);
    AdaptiveModel model(10, 1, {.model = {}, .tuning = {}});
    for (std::size_t t = 0; t < 3000; ++t) {
        const auto x = normal_row(normal, 10);
        const double y = (3.0 * x[2]) + (2.0 * x[6]) + x[4] + normal.next(0.0, std::sqrt(2.0));  // variance 16
        model.learn(x, {&y, 1});
    }
    const auto found = model.importances();
    ASSERT_EQ(found.size(), 3U);
    const std::vector<std::pair<std::size_t, double>> expected = {{2, 3.0}, {6, 2.0}, {4, 1.0}};
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(found[i].input, expected[i].first);
        const double coefficient = expected[i].second;
        EXPECT_NEAR(found[i].contribution, coefficient / 4.0, 0.06);  // chance of a memory of some hundred rows
        EXPECT_NEAR(found[i].gain, coefficient * coefficient / 16.0, 0.06);
    }
}

std::vector<AdaptiveOptions> faces() {
    Tuning most;
    most.names = Names::most;
    Tuning all;
    all.names = Names::all;
    StreamOptions free;
    free.clip = std::nullopt;
    StreamOptions given{.components = 2, .keep = {2}};
    given.clip = std::nullopt;
    StreamOptions limited = free;
    limited.names = 3;
    return {{.model = free, .tuning = {}},
            {.model = limited, .tuning = most},
            {.model = free, .tuning = all},
            {.model = given, .tuning = {}}};
}

// Rows with fresh starts on trial and proven, missing numbers and alarms among them.
TEST(AdaptiveModel, PredictGivesTheBitsThatTheNextLearnReports) {
    const auto table = test::breaking_table(5, {.rows = 260, .p = 8, .q = 2, .every = 70, .missing_share = 0.05});
    for (const AdaptiveOptions& options : faces()) {
        AdaptiveModel model(table.p, table.q, options);
        std::vector<double> y(table.q);
        for (std::size_t t = 0; t < table.rows(); ++t) {
            model.predict(table.x_row(t), y);
            ASSERT_EQ(model.predict(table.x_row(t)), y);
            const auto report = model.learn(table.x_row(t), table.y_row(t));
            ASSERT_TRUE(std::ranges::equal(report.predicted, y)) << "row " << t;
        }
        EXPECT_TRUE(std::ranges::any_of(model.decisions(),
                                        [](const Decision& d) { return d.setting == Setting::fresh_start; }) ||
                    options.tuning.names == Names::all);
    }
}

// The first rows are larger, so that no later prediction is moved to the range of the outputs.
TEST(AdaptiveModel, CoefficientsAndInterceptGiveThePredictionWhereNothingIsMovedToABound) {
    auto table = test::breaking_table(6, {.rows = 200, .p = 8, .q = 2, .every = 90});
    for (std::size_t t = 0; t < 12; ++t) {
        for (double& x : table.x_row(t)) {
            x *= 20.0;
        }
        for (double& y : table.y_row(t)) {
            y *= 20.0;
        }
    }
    for (const AdaptiveOptions& options : faces()) {
        AdaptiveModel model(table.p, table.q, options);
        for (std::size_t t = 0; t < table.rows(); ++t) {
            const Matrix coefficients = model.coefficients();
            const auto intercept = model.intercept();
            const auto predicted = model.predict(table.x_row(t));
            for (std::size_t k = 0; k < table.q && t >= 20; ++k) {
                double y = intercept[k];
                for (std::size_t j = 0; j < table.p; ++j) {
                    y += coefficients(j, k) * table.x_row(t)[j];
                }
                ASSERT_NEAR(predicted[k], y, 1e-8 * (1.0 + std::abs(y))) << "row " << t;
            }
            model.learn(table.x_row(t), table.y_row(t));
        }
    }
}

TEST(AdaptiveModel, ItsErrorIsWithinATenthOfTheBestReadingInHindsight) {
    constexpr std::size_t kFirst = 100;
    for (const std::uint64_t seed : {7U, 8U, 9U}) {
        const auto table = test::factor_table(seed, 900, 15, 1);
        AdaptiveModel model(table.p, table.q);
        double own = 0.0;
        std::vector<AdaptiveModel::Reading> first;
        for (std::size_t t = 0; t < table.rows(); ++t) {
            if (t == kFirst) {
                first = model.readings(0);
            }
            const auto report = model.learn(table.x_row(t), table.y_row(t));
            own += t >= kFirst ? report.error_before * report.error_before : 0.0;
        }
        const auto readings = model.readings(0);
        ASSERT_EQ(readings.size(), 4U * 4U * 12U * 4U);  // memories, shrinkages, sizes from 0 to 15, speeds
        double best = std::numeric_limits<double>::max();
        for (std::size_t i = 0; i < readings.size(); ++i) {
            EXPECT_EQ(readings[i].exponent, 0);
            best = std::min(best, readings[i].squares - first[i].squares);
        }
        EXPECT_GT(best, 0.0);
        EXPECT_LE(own, 1.1 * best) << "seed " << seed;
    }
}

}  // namespace
}  // namespace sluice::adaptive_selection_test
