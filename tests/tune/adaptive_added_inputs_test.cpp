// Inputs that are added to a self-tuning model: it goes on as one in which they were missing in every row.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "sluice/adaptive.hpp"
#include "sluice/error.hpp"
#include "support/arriving.hpp"
#include "support/damaged_state.hpp"

namespace sluice::test::adaptive_added_inputs_test {
namespace {

struct Case {
    const char* name;
    AdaptiveOptions options;
    std::size_t p;
    std::size_t q;
};

Tuning naming(Names names) {
    Tuning tuning;
    tuning.names = names;
    return tuning;
}

std::vector<Case> cases() {
    Tuning trusting;
    trusting.robust = false;
    Tuning guarded = Tuning::off();
    guarded.robust = true;
    auto paper = StreamOptions::paper();
    paper.keep = {3};
    StreamOptions five;
    five.names = 5;
    return {
        {"defaults", {}, 60, 1},
        {"several outputs", {}, 60, 3},
        {"of 27 names at most, 30", {}, 30, 1},
        {"not robust", {.model = {}, .tuning = trusting}, 60, 2},
        {"five names at most", {.model = five, .tuning = {}}, 12, 2},
        {"most", {.model = {}, .tuning = naming(Names::most)}, 60, 2},
        {"all", {.model = {}, .tuning = naming(Names::all)}, 60, 2},
        {"components given", {.model = {.components = 3, .keep = {2}}, .tuning = {}}, 20, 2},
        {"paper", {.model = paper, .tuning = {}}, 60, 1},
        {"fixed options", {.model = {.forgetting = 0.98}, .tuning = Tuning::off()}, 30, 2},
        {"fixed options, robust", {.model = {.forgetting = 0.98}, .tuning = guarded}, 30, 2},
        {"many inputs", {}, 420, 1},
    };
}

// Besides what arrives: a break of the relation, spikes, and labels that cannot be believed or are missing.
Table hard_table(std::uint64_t seed, const Arriving& how) {
    Table table = arriving_table(seed, how);
    for (std::size_t t = 40; t < table.rows(); ++t) {
        if (t >= 80 && t < 120) {
            table.y_row(t)[0] -= 6.0 * table.x_row(t)[0];
        }
        if (t % 30 == 11) {
            table.x_row(t)[2] = 1e4;
        }
        if (t % 30 == 19 || t == 99) {
            table.y_row(t)[t % how.q] += 1e3;
        }
        if (t % 30 == 27) {
            table.y_row(t)[0] = std::numeric_limits<double>::quiet_NaN();
        }
    }
    return table;
}

void expect_same(const StepReport& report, const StepReport& expected, double tolerance) {
    ASSERT_EQ(report.row, expected.row);
    ASSERT_EQ(report.outcome, expected.outcome);
    ASSERT_TRUE(std::ranges::equal(report.selected, expected.selected));
    ASSERT_TRUE(std::ranges::equal(report.suspect_inputs, expected.suspect_inputs));
    ASSERT_TRUE(std::ranges::equal(report.suspect_outputs, expected.suspect_outputs));
    ASSERT_EQ(report.decisions.size(), expected.decisions.size());
    ASSERT_NEAR(report.forgetting, expected.forgetting, tolerance);
    for (std::size_t k = 0; k < expected.predicted.size(); ++k) {
        ASSERT_NEAR(report.predicted[k], expected.predicted[k], tolerance);
    }
}

TEST(AdaptiveAddedInputs, AModelGoesOnAsOneInWhichTheyWereMissingInEveryRow) {
    for (const Case& one : cases()) {
        SCOPED_TRACE(one.name);
        const auto table = hard_table(21, {.p = one.p, .q = one.q});
        const std::size_t narrow = table.p - 3;
        AdaptiveModel always(table.p, table.q, one.options);
        AdaptiveModel model(narrow, table.q, one.options);
        for (std::size_t t = 0; t < 100; ++t) {
            const auto report = always.learn(table.x_row(t), table.y_row(t));
            model.learn(narrow_row(table, t, narrow), table.y_row(t));
            if (t == 99 && one.options.tuning.robust) {
                EXPECT_EQ(report.outcome, Outcome::suspect);  // a row is held back
            }
        }
        model.add_inputs(3);
        ASSERT_EQ(model.inputs(), table.p);
        ASSERT_EQ(model.rows_met(), 100U);
        ASSERT_EQ(model.options(), one.options);
        ASSERT_EQ(model.stability(), always.stability());
        ASSERT_TRUE(std::ranges::equal(model.importances(), always.importances()));
        ASSERT_TRUE(std::ranges::equal(model.decisions(), always.decisions()));
        ASSERT_EQ(model.drift(), always.drift());
        ASSERT_EQ(model.coefficients(), always.coefficients());
        for (std::size_t t = 100; t < table.rows(); ++t) {
            SCOPED_TRACE(testing::Message() << "row " << t);
            ASSERT_EQ(model.predict(table.x_row(t)).size(), table.q);
            const auto expected = always.learn(table.x_row(t), table.y_row(t));
            const auto report = model.learn(table.x_row(t), table.y_row(t));
            // The gaps of added inputs differ by rounding: tests/core/added_inputs_test.cpp. Errors and weights follow.
            expect_same(report, expected, t <= 150 ? 0.0 : 1e-9);
            ASSERT_FALSE(testing::Test::HasFatalFailure());
        }
    }
}

TEST(AdaptiveAddedInputs, WithFewInputsTheNumbersOfNamesGrowToo) {
    for (const Names names : {Names::found, Names::most, Names::all}) {
        for (const std::size_t narrow : {1U, 4U, 9U, 14U}) {
            SCOPED_TRACE(testing::Message() << narrow << " inputs, names " << static_cast<int>(names));
            const auto table = arriving_table(22, {.rows = 400, .p = narrow + 12, .count = 12});
            AdaptiveModel always(table.p, 1, {.model = {}, .tuning = naming(names)});
            AdaptiveModel model(narrow, 1, {.model = {}, .tuning = naming(names)});
            double difference = 0.0;
            for (std::size_t t = 0; t < table.rows(); ++t) {
                if (t == 150) {
                    model.add_inputs(12);
                    ASSERT_EQ(model.shares().sizes.size(), always.shares().sizes.size());
                    ASSERT_EQ(model.readings(0).size(), always.readings(0).size());
                }
                const auto expected = always.learn(table.x_row(t), table.y_row(t));
                const auto report = model.learn(narrow_row(table, t, model.inputs()), table.y_row(t));
                if (t >= 200) {
                    difference = std::max(difference, std::abs(report.predicted[0] - expected.predicted[0]));
                }
            }
            // Weights of the memories count every number of names that is tried, and there were fewer. It was in the
            // choice of variables long ago: less than the noise.
            EXPECT_LT(difference, 0.3);
            EXPECT_TRUE(std::ranges::equal(model.selected(), always.selected()));
        }
    }
}

TEST(AdaptiveAddedInputs, OneThatDrivesTheOutputIsFoundAsSoonAsByAModelThatAlwaysHadIt) {
    for (const std::size_t narrow : {2U, 20U, 60U}) {
        const auto table = arriving_table(23, {.rows = 400, .p = narrow + 5, .count = 5, .appear = 200});
        AdaptiveModel model(narrow, 1);
        AdaptiveModel always(table.p, 1);
        std::size_t first = 0;
        std::size_t first_always = 0;
        auto has_last = [&](const AdaptiveModel& one) {
            return std::ranges::binary_search(one.selected(), table.p - 1);
        };
        for (std::size_t t = 0; t < table.rows(); ++t) {
            if (t == 200) {
                model.add_inputs(5);
            }
            model.learn(narrow_row(table, t, model.inputs()), table.y_row(t));
            always.learn(table.x_row(t), table.y_row(t));
            first = first == 0 && has_last(model) ? t : first;
            first_always = first_always == 0 && has_last(always) ? t : first_always;
        }
        EXPECT_GE(first, 200U);
        EXPECT_EQ(first, first_always);
        EXPECT_EQ(model.importances().front().input, table.p - 1);
        EXPECT_NEAR(model.coefficients()(table.p - 1, 0), 4.0, 0.2);  // noise 0.3, up to 200 rows
        EXPECT_GT(model.stability().back(), 0.7);
    }
}

// Alarms of a stream whose inputs 6 and 7, which drive nothing, appear at row 250, and where input 6 moves at row 450.
std::size_t alarms_of(std::uint64_t seed, double mean, double moved, bool added) {
    NormalSource normal(seed);
    AdaptiveModel model(added ? 6 : 8, 1);
    std::vector<double> x(8);
    std::size_t alarms = 0;
    for (std::size_t t = 0; t < 550; ++t) {
        for (std::size_t j = 0; j < 8; ++j) {
            const double value = normal.next(j < 6 ? 1.0 : mean, 1.0);
            x[j] = j >= 6 && t < 250 ? std::numeric_limits<double>::quiet_NaN() : value;
        }
        x[6] += t >= 450 ? moved : 0.0;
        const double y = (2.0 * x[0]) - x[1] + normal.next(0.0, 0.3);
        if (added && t == 240) {
            model.add_inputs(2);
        }
        const auto report = model.learn(std::span(x).first(model.inputs()), {&y, 1});
        alarms += report.outcome == Outcome::drift ? 1U : 0U;
    }
    return alarms;
}

// It was: the usual range of an input that appears is that of one which was zero in every row, an alarm in most of these streams.
TEST(AdaptiveAddedInputs, OneThatAppearsIsNoAlarmAndOneThatMovesLaterIs) {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        for (const double mean : {0.0, 100.0}) {
            for (const bool added : {false, true}) {
                EXPECT_EQ(alarms_of(seed, mean, 0.0, added), 0U);
                EXPECT_GE(alarms_of(seed, mean, 20.0, added), 1U);
            }
        }
    }
}

TEST(AdaptiveAddedInputs, ASavedModelContinuesBitForBit) {
    auto all = cases();
    all.push_back({"few inputs", {}, 7, 2});
    all.push_back({"few inputs, most", {.model = {}, .tuning = naming(Names::most)}, 12, 1});
    all.push_back({"more than 400 from now on", {}, 402, 1});
    for (const Case& one : all) {
        SCOPED_TRACE(one.name);
        const auto table = hard_table(24, {.rows = 220, .p = one.p, .q = one.q});
        AdaptiveModel model(table.p - 3, table.q, one.options);
        for (std::size_t t = 0; t < 100; ++t) {
            model.learn(narrow_row(table, t, table.p - 3), table.y_row(t));
        }
        const std::size_t memories = model.shares().memories.size();
        model.add_inputs(3);
        EXPECT_EQ(model.shares().memories.size(), memories);
        AdaptiveModel loaded = AdaptiveModel::load(model.save());
        EXPECT_EQ(loaded.save(), model.save());
        for (std::size_t t = 100; t < table.rows(); ++t) {
            const auto expected = model.learn(table.x_row(t), table.y_row(t));
            expect_same(loaded.learn(table.x_row(t), table.y_row(t)), expected, 0.0);
        }
        EXPECT_EQ(loaded.save(), model.save());
    }
}

TEST(AdaptiveAddedInputs, NoneChangesNothing) {
    const auto table = hard_table(25, {.rows = 100});
    AdaptiveModel model(table.p, 1);
    model.learn_many(table.all_x(), table.all_y());
    const auto before = model.save();
    model.add_inputs(0);
    EXPECT_EQ(model.save(), before);
}

TEST(AdaptiveAddedInputs, BeforeTheFirstRowTheModelIsThatOfAllInputs) {
    for (const Case& one : cases()) {
        AdaptiveModel model(1, one.q, {.model = {}, .tuning = one.options.tuning});
        model.add_inputs(one.p - 1);
        EXPECT_EQ(model.save(), AdaptiveModel(one.p, one.q, {.model = {}, .tuning = one.options.tuning}).save());
    }
}

TEST(AdaptiveAddedInputs, ManyTimesInARowIsAsOnce) {
    for (const Case& one : cases()) {
        SCOPED_TRACE(one.name);
        const auto table = hard_table(26, {.rows = 100, .p = one.p, .q = one.q});
        AdaptiveModel once(table.p, table.q, one.options);
        once.learn_many(table.all_x(), table.all_y());
        AdaptiveModel often = once;
        once.add_inputs(4);
        often.add_inputs(1);
        often.add_inputs(2);
        often.add_inputs(1);
        EXPECT_EQ(often.save(), once.save());
    }
}

// As in a stream of records whose fields appear one by one.
TEST(AdaptiveAddedInputs, ASingleInputMayGrowToMany) {
    const auto table = arriving_table(27, {.rows = 500, .p = 70, .count = 5, .appear = 350});
    AdaptiveModel model(1, 1);
    for (std::size_t t = 0; t < table.rows(); ++t) {
        if (t > 0 && t % 4 == 0 && model.inputs() < table.p) {
            model.add_inputs(1);
        }
        const auto report = model.learn(narrow_row(table, t, model.inputs()), table.y_row(t));
        ASSERT_TRUE(std::isfinite(report.predicted[0]));
    }
    EXPECT_EQ(model.inputs(), 70U);
    EXPECT_EQ(model.shares().sizes.back().value, 50.0);
    for (const std::size_t input : {0U, 1U, 69U}) {
        EXPECT_TRUE(std::ranges::binary_search(model.selected(), input));
    }
}

TEST(AdaptiveAddedInputs, WhatTheOptionsDoNotAllowIsAnErrorThatChangesNothing) {
    const auto table = arriving_table(28, {.rows = 50, .p = 10});
    AdaptiveModel grouped(2, 1,
                          {.model = {.keep = {1}, .penalty = Penalty::group_lasso, .groups = {0, 1}}, .tuning = {}});
    EXPECT_THROW(grouped.add_inputs(1), OptionError);
    EXPECT_EQ(grouped.inputs(), 2U);

    // A memory that never forgets needs all of C.
    StreamOptions small;
    small.memory_limit = std::size_t{4} << 20U;
    AdaptiveModel model(10, 1, {.model = small, .tuning = {}});
    model.learn_many(table.all_x(), table.all_y());
    const auto before = model.save();
    EXPECT_THROW(model.add_inputs(1000), OptionError);
    EXPECT_EQ(model.save(), before);
    EXPECT_THROW(model.add_inputs(std::numeric_limits<std::size_t>::max()), OptionError);
    EXPECT_EQ(model.save(), before);
}

// The number of inputs that it was made with decides which memories there are: a wrong one is refused.
TEST(AdaptiveAddedInputs, AModelMadeWithMoreInputsThanItHasIsRefused) {
    const auto table = arriving_table(29, {.rows = 30, .p = 10});
    AdaptiveModel model(10, 1);
    model.learn_many(table.all_x(), table.all_y());
    model.add_inputs(2);
    for (const std::uint64_t made_with : {std::uint64_t{0}, std::uint64_t{12}, ~std::uint64_t{0}}) {
        const auto saved = model.save();
        core::Streams streams = streams_of(saved);
        std::uint64_t first = 0;
        std::memcpy(&first, streams.bytes.data() + 8, sizeof(first));  // after the mark
        EXPECT_EQ(first, 10U);
        std::memcpy(streams.bytes.data() + 8, &made_with, sizeof(made_with));
        EXPECT_THROW((void)AdaptiveModel::load(framed_again(saved, core::pack(streams))), StateError);
    }
}

}  // namespace
}  // namespace sluice::test::adaptive_added_inputs_test
