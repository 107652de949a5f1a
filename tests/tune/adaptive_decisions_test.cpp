// What an adaptive model logs: every name that enters or leaves, every fresh start, each with its evidence; and when it logs nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "breaking.hpp"
#include "sluice/adaptive.hpp"
#include "sluice/error.hpp"

namespace sluice::adaptive_decisions_test {
namespace {

using test::breaking_table;
using test::Table;

// Outputs of normal noise that no input tells.
Table noise_table(std::uint64_t seed, std::size_t rows, std::size_t p, std::size_t q) {
    NormalSource normal(seed);
    Table table{.p = p, .q = q, .x = {}, .y = {}};
    for (std::size_t i = 0; i < rows * p; ++i) {
        table.x.push_back(normal.next());
    }
    for (std::size_t i = 0; i < rows * q; ++i) {
        table.y.push_back(normal.next(3.0, 2.0));
    }
    return table;
}

std::vector<std::size_t> inputs_of(std::span<const Decision> decisions, Setting setting) {
    std::vector<std::size_t> inputs;
    for (const Decision& decision : decisions) {
        if (decision.setting == setting) {
            inputs.push_back(decision.input);
        }
    }
    std::ranges::sort(inputs);
    return inputs;
}

TEST(AdaptiveDecisions, AreOneForEachNameThatEntersOrLeavesAndOneForEachFreshStart) {
    for (const Names names : {Names::found, Names::most, Names::all}) {
        AdaptiveOptions options;
        options.tuning.names = names;
        options.tuning.robust = false;  // rows held back would be decided on together, later
        if (names != Names::all) {
            options.model.names = 8;
        }
        const auto table = breaking_table(1, {.rows = 500, .p = 20, .every = 100});
        AdaptiveModel model(table.p, table.q, options);
        std::vector<Decision> all;
        std::size_t fresh_starts = 0;
        std::size_t before = 0;
        for (std::size_t t = 0; t < table.rows(); ++t) {
            SCOPED_TRACE(testing::Message() << "row " << t << ", names " << static_cast<int>(names));
            const auto report = model.learn(table.x_row(t), table.y_row(t));
            ASSERT_TRUE(std::ranges::equal(inputs_of(report.decisions, Setting::entered), report.entered));
            ASSERT_TRUE(std::ranges::equal(inputs_of(report.decisions, Setting::left), report.left));
            std::size_t fresh = 0;
            for (const Decision& decision : report.decisions) {
                ASSERT_EQ(decision.row, t);
                ASSERT_TRUE(std::isfinite(decision.measured_from) && decision.measured_from >= 0.0);
                ASSERT_TRUE(std::isfinite(decision.measured_to) && decision.measured_to >= 0.0);
                switch (decision.setting) {
                    case Setting::entered:  // without the name, with it
                        ASSERT_GE(decision.measured_from, decision.measured_to);
                        ASSERT_EQ(decision.from, static_cast<double>(before));
                        ASSERT_EQ(decision.to, static_cast<double>(report.selected.size()));
                        break;
                    case Setting::left:  // with the name, without it
                        ASSERT_LE(decision.measured_from, decision.measured_to);
                        ASSERT_EQ(decision.from, static_cast<double>(before));
                        ASSERT_EQ(decision.to, static_cast<double>(report.selected.size()));
                        break;
                    case Setting::fresh_start:  // the long memory, the new one
                        ASSERT_LT(decision.measured_to, 0.5 * decision.measured_from);
                        ASSERT_GT(decision.from, decision.to);
                        ++fresh;
                        break;
                }
                all.push_back(decision);
            }
            ASSERT_LE(fresh, 1U);
            fresh_starts += fresh;
            before = report.selected.size();
        }
        EXPECT_GE(fresh_starts, 2U);
        EXPECT_LE(fresh_starts, 8U);
        const auto kept = model.decisions();
        ASSERT_EQ(kept.size(), std::min<std::size_t>(all.size(), 100));
        EXPECT_TRUE(std::ranges::equal(kept, std::span(all).last(kept.size())));
    }
}

TEST(AdaptiveDecisions, AtMostAHundredAreKept) {
    const auto table = noise_table(2, 1500, 30, 1);
    Tuning restless;  // every memory has its own names, and noise exchanges them
    restless.names = Names::all;
    AdaptiveModel model(table.p, table.q, {.model = {}, .tuning = restless});
    std::vector<Decision> all;
    for (std::size_t t = 0; t < table.rows(); ++t) {
        const auto made = model.learn(table.x_row(t), table.y_row(t)).decisions;
        all.insert(all.end(), made.begin(), made.end());
        const auto kept = model.decisions();
        ASSERT_EQ(kept.size(), std::min<std::size_t>(all.size(), 100)) << "row " << t;
        ASSERT_TRUE(std::ranges::equal(kept, std::span(all).last(kept.size()))) << "row " << t;
    }
    EXPECT_GT(all.size(), 500U);
}

// A copy had room for no further decision, and logged none: the vector of a copy is as long as what it holds.
TEST(AdaptiveDecisions, OfACopyAreThoseOfTheOriginal) {
    const auto table = breaking_table(3, {.rows = 200, .every = 70});
    AdaptiveModel model(table.p, table.q);
    for (std::size_t t = 0; t < table.rows(); ++t) {
        AdaptiveModel copy = model;
        const auto report = model.learn(table.x_row(t), table.y_row(t));
        const auto of_copy = copy.learn(table.x_row(t), table.y_row(t));
        ASSERT_TRUE(std::ranges::equal(report.decisions, of_copy.decisions)) << "row " << t;
        model = copy;
    }
    EXPECT_GT(model.decisions().size(), 5U);
}

TEST(AdaptiveDecisions, AConstantOutputGivesNone) {
    auto table = noise_table(4, 600, 8, 1);
    std::ranges::fill(table.y, 42.125);
    const StreamOptions given{.components = 2, .keep = {2}};
    for (const Names names : {Names::found, Names::most, Names::all}) {
        for (const bool structure : {false, true}) {
            if (structure && names != Names::found) {
                continue;
            }
            Tuning tuning;
            tuning.names = names;
            AdaptiveModel model(table.p, table.q, {.model = structure ? given : StreamOptions{}, .tuning = tuning});
            for (std::size_t t = 0; t < table.rows(); ++t) {
                const auto report = model.learn(table.x_row(t), table.y_row(t));
                ASSERT_TRUE(t == 0 || report.predicted[0] == 42.125) << "row " << t << ": " << report.predicted[0];
                ASSERT_NE(report.outcome, Outcome::drift);
                ASSERT_TRUE(report.selected.empty()) << "row " << t;
            }
            EXPECT_TRUE(model.decisions().empty());
        }
    }
}

TEST(AdaptiveDecisions, ComeInAtMostOneOfAHundredRowsLongAfterAnOutputHasTurnedConstant) {
    constexpr std::size_t kConstantFrom = 200;
    constexpr std::size_t kLate = 1000;
    auto table = breaking_table(5, {.rows = 3000, .q = 1, .every = 3000});
    for (std::size_t t = kConstantFrom; t < table.rows(); ++t) {
        table.y_row(t)[0] = 7.5;
    }
    AdaptiveModel model(table.p, table.q);
    std::size_t late = 0;
    for (std::size_t t = 0; t < table.rows(); ++t) {
        const auto report = model.learn(table.x_row(t), table.y_row(t));
        if (t >= kLate) {
            late += report.decisions.size();
            ASSERT_NEAR(report.predicted[0], 7.5, 1e-6);
        }
    }
    EXPECT_LE(late, (table.rows() - kLate) / 100);
}

TEST(AdaptiveDecisions, AreFewOnPureNoiseAndTheErrorIsWithinThreePercentOfTheMeans) {
    for (const std::size_t p : {5U, 20U, 60U}) {
        double ratio = 0.0;
        std::size_t decisions = 0;
        constexpr std::size_t kRows = 1200;
        constexpr int kSeeds = 3;
        for (int seed = 0; seed < kSeeds; ++seed) {
            const auto table = noise_table(static_cast<std::uint64_t>(seed), kRows, p, 1);
            AdaptiveModel model(table.p, table.q);
            double square = 0.0;
            double variance = 0.0;
            for (std::size_t t = 0; t < kRows; ++t) {
                const auto report = model.learn(table.x_row(t), table.y_row(t));
                if (t >= 200) {
                    decisions += report.decisions.size();
                    square += report.error_before * report.error_before;
                    variance += (table.y_row(t)[0] - 3.0) * (table.y_row(t)[0] - 3.0);
                }
            }
            ratio += square / variance / kSeeds;
        }
        const double per_thousand = static_cast<double>(decisions) / kSeeds;
        RecordProperty("decisions_per_1000_rows_" + std::to_string(p), std::to_string(per_thousand));
        RecordProperty("error_over_variance_" + std::to_string(p), std::to_string(ratio));
        EXPECT_LT(ratio, 1.03) << p;
        EXPECT_LT(per_thousand, 30.0) << p;
    }
}

TEST(AdaptiveDecisions, BrokenRulesAreAllReportedAndRefused) {
    AdaptiveOptions options;
    options.model.forgetting = 2.0;
    options.model.names = 0;
    options.model.keep = {2};
    options.tuning.names = Names::most;
    EXPECT_EQ(options.problems(5, 1).size(), 3U);
    EXPECT_THROW(AdaptiveModel(5, 1, options), OptionError);
    EXPECT_THROW(AdaptiveModel(0, 1), OptionError);
    EXPECT_THROW(AdaptiveModel(1, 0), OptionError);
}

}  // namespace
}  // namespace sluice::adaptive_decisions_test
