// Inputs that are added to a model: it goes on as one in which they were missing in every row.
#include "added_inputs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "sluice/error.hpp"
#include "sluice/model.hpp"
#include "support/arriving.hpp"

namespace sluice::test::added_inputs_test {
namespace {

// Where values of an added input have arrived, its weight is n - gap. The gap is n at once here, and the sum of the weights of all
// rows in the other model: it differs by rounding, some 1e-16 of n.
constexpr double kGapRounding = 1e-11;

struct Case {
    const char* name;
    StreamOptions options;
    std::size_t p;
    std::size_t q;
    bool same_bits = true;  // until values arrive
};

StreamOptions with(StreamOptions options, Engine engine) {
    options.engine = engine;
    return options;
}

StreamOptions projecting(double forgetting) {
    auto options = StreamOptions::paper();
    options.components = 2;
    options.keep = {3};
    options.forgetting = forgetting;
    return options;
}

std::vector<Case> cases() {
    const StreamOptions refit{.components = 3, .keep = {2}, .forgetting = 0.98};
    StreamOptions single = with(refit, Engine::columns);
    single.history = HistoryKind::single_precision;
    StreamOptions none = with(projecting(0.95), Engine::screened);
    none.history = HistoryKind::none;
    StreamOptions origin = refit;
    origin.center = false;
    StreamOptions instant = projecting(0.98);
    instant.loadings = Loadings::instant;
    return {
        {"defaults", {}, 30, 1},
        {"defaults with few inputs", {}, 9, 2},
        {"defaults with two inputs at first", {}, 5, 1},
        {"dense", with(refit, Engine::dense), 40, 1},
        {"dense, several outputs", with(refit, Engine::dense), 40, 3},
        {"dense, rows pend", with(refit, Engine::dense), 150, 1},
        // Beyond 128 inputs rows are added to C later: with another number of groups at another time, which rounds
        // differently.
        {"dense, rows pend in one group more", with(refit, Engine::dense), 162, 1, false},
        {"dense, rows pend from now on", with(refit, Engine::dense), 130, 2, false},
        {"dense, never forgets", {.components = 3, .keep = {2}, .forgetting = 1.0}, 40, 1},
        {"screened", with(projecting(0.95), Engine::screened), 40, 1},
        {"screened, several outputs", with(projecting(0.95), Engine::screened), 140, 3},
        {"screened, a block of two words", with(projecting(0.95), Engine::screened), 66, 1},
        {"screened without history", none, 60, 1},
        {"screened refit", with(refit, Engine::screened), 40, 1},
        {"screened refit, several outputs", with(refit, Engine::screened), 140, 3},
        {"columns", with(refit, Engine::columns), 40, 1},
        {"columns, several outputs", with(refit, Engine::columns), 140, 3},
        {"columns, projecting", with(projecting(0.95), Engine::columns), 40, 2},
        {"columns in single precision", single, 40, 1},
        {"not centred", origin, 30, 2},
        {"instant loadings", instant, 30, 2},
        {"gamma", {.components = 2, .gamma = 0.3}, 20, 1},
        {"hold bonus", {.components = 2, .keep = {2}, .hold_bonus = 0.5}, 20, 1},
    };
}

void expect_same(const StepReport& report, const StepReport& expected, double tolerance) {
    ASSERT_EQ(report.row, expected.row);
    ASSERT_TRUE(std::ranges::equal(report.selected, expected.selected));
    for (std::size_t k = 0; k < expected.predicted.size(); ++k) {
        ASSERT_NEAR(report.predicted[k], expected.predicted[k], tolerance);
    }
}

TEST(AddedInputs, AModelGoesOnAsOneInWhichTheyWereMissingInEveryRow) {
    for (const Case& one : cases()) {
        SCOPED_TRACE(one.name);
        // Added at row 100; their values arrive at row 150.
        const auto table = arriving_table(7, {.p = one.p, .q = one.q});
        const std::size_t narrow = table.p - 3;
        StreamModel always(table.p, table.q, one.options);
        StreamModel model(narrow, table.q, one.options);
        for (std::size_t t = 0; t < 100; ++t) {
            always.learn(table.x_row(t), table.y_row(t));
            model.learn(narrow_row(table, t, narrow), table.y_row(t));
        }
        model.add_inputs(3);
        ASSERT_EQ(model.inputs(), table.p);
        ASSERT_EQ(model.rows_met(), 100U);
        ASSERT_EQ(model.engine(), always.engine());
        ASSERT_EQ(model.components(), always.components());
        ASSERT_EQ(model.options(), one.options);
        for (std::size_t t = 100; t < table.rows(); ++t) {
            SCOPED_TRACE(testing::Message() << "row " << t);
            const auto expected = always.learn(table.x_row(t), table.y_row(t));
            const auto report = model.learn(table.x_row(t), table.y_row(t));
            expect_same(report, expected, one.same_bits && t <= 150 ? 0.0 : kGapRounding);
            ASSERT_FALSE(testing::Test::HasFatalFailure());
        }
    }
}

TEST(AddedInputs, TheMomentsAreThoseOfAModelInWhichTheyWereMissing) {
    const auto table = arriving_table(8, {.p = 10, .q = 2});
    StreamModel always(10, 2);
    StreamModel model(7, 2);
    for (std::size_t t = 0; t < table.rows(); ++t) {
        if (t == 120) {
            model.add_inputs(3);
        }
        always.learn(table.x_row(t), table.y_row(t));
        model.learn(narrow_row(table, t, model.inputs()), table.y_row(t));
    }
    EXPECT_EQ(model.weight(), always.weight());
    EXPECT_EQ(model.output_means(), always.output_means());
    for (std::size_t i = 0; i < 10; ++i) {
        EXPECT_NEAR(model.input_means()[i], always.input_means()[i], kGapRounding);
        for (std::size_t j = 0; j < 10; ++j) {
            EXPECT_NEAR(model.input_moments()(i, j), always.input_moments()(i, j), kGapRounding);
        }
        for (std::size_t k = 0; k < 2; ++k) {
            EXPECT_NEAR(model.cross_moments()(i, k), always.cross_moments()(i, k), kGapRounding);
        }
    }
}

TEST(AddedInputs, OneThatDrivesTheOutputIsSelectedAsSoonAsInAModelThatAlwaysHadIt) {
    for (const Engine engine : {Engine::dense, Engine::screened, Engine::columns}) {
        const auto table = arriving_table(9, {.p = 40, .count = 10});
        const auto options = with(projecting(0.95), engine);
        StreamModel model(30, 1, options);
        StreamModel always(40, 1, options);
        std::size_t first = 0;
        std::size_t first_always = 0;
        auto has_last = [](const StreamModel& one) { return std::ranges::binary_search(one.selected(), 39U); };
        for (std::size_t t = 0; t < table.rows(); ++t) {
            if (t == 150) {
                model.add_inputs(10);
            }
            model.learn(narrow_row(table, t, model.inputs()), table.y_row(t));
            always.learn(table.x_row(t), table.y_row(t));
            first = first == 0 && has_last(model) ? t : first;
            first_always = first_always == 0 && has_last(always) ? t : first_always;
        }
        EXPECT_EQ(first, first_always);
        EXPECT_LE(first, 160U);
        EXPECT_TRUE(has_last(model));
        EXPECT_NEAR(model.coefficients()(39, 0), 4.0, 0.5);  // a memory of some 20 rows, noise 0.3
    }
}

TEST(AddedInputs, ASavedModelContinuesBitForBit) {
    for (const Case& one : cases()) {
        SCOPED_TRACE(one.name);
        const auto table = arriving_table(10, {.p = one.p, .q = one.q});
        StreamModel model(table.p - 3, table.q, one.options);
        for (std::size_t t = 0; t < 140; ++t) {
            model.learn(narrow_row(table, t, table.p - 3), table.y_row(t));
        }
        model.add_inputs(3);
        StreamModel loaded = StreamModel::load(model.save());
        EXPECT_EQ(loaded.save(), model.save());
        for (std::size_t t = 140; t < table.rows(); ++t) {
            const auto expected = model.learn(table.x_row(t), table.y_row(t));
            expect_same(loaded.learn(table.x_row(t), table.y_row(t)), expected, 0.0);
        }
        EXPECT_EQ(loaded.save(), model.save());
    }
}

TEST(AddedInputs, NoneChangesNothing) {
    const auto table = arriving_table(11, {});
    StreamModel model(table.p, 1);
    model.learn_many(table.all_x(), table.all_y());
    const auto before = model.save();
    model.add_inputs(0);
    EXPECT_EQ(model.save(), before);
}

TEST(AddedInputs, BeforeTheFirstRowTheModelIsThatOfAllInputs) {
    for (const Case& one : cases()) {
        SCOPED_TRACE(one.name);
        StreamModel model(one.p - 3, one.q, one.options);
        model.add_inputs(3);
        EXPECT_EQ(model.save(), StreamModel(one.p, one.q, one.options).save());
    }
}

TEST(AddedInputs, ManyTimesInARowIsAsOnce) {
    for (const Engine engine : {Engine::dense, Engine::screened, Engine::columns}) {
        const auto table = arriving_table(12, {.p = 200, .q = 2, .count = 60});
        const auto options = with(projecting(0.95), engine);
        StreamModel once(40, 2, options);
        for (std::size_t t = 0; t < 100; ++t) {
            once.learn(narrow_row(table, t, 40), table.y_row(t));
        }
        StreamModel often = once;
        once.add_inputs(160);
        for (std::size_t i = 0; i < 160; i += 40) {
            often.add_inputs(40);
        }
        EXPECT_EQ(often.save(), once.save());
    }
}

TEST(AddedInputs, ASingleInputMayGrowToMany) {
    const auto table = arriving_table(13, {.rows = 400, .p = 25, .count = 5, .appear = 200});
    StreamModel model(1, 1);
    for (std::size_t t = 0; t < table.rows(); ++t) {
        if (t > 0 && t % 10 == 0 && model.inputs() < table.p) {
            model.add_inputs(1);
        }
        model.learn(narrow_row(table, t, model.inputs()), table.y_row(t));
    }
    EXPECT_EQ(model.components(), 5U);
    for (const std::size_t input : {0U, 1U, 24U}) {
        EXPECT_TRUE(std::ranges::binary_search(model.selected(), input));
    }
}

std::string problem_of(StreamModel& model, std::size_t count) {
    try {
        model.add_inputs(count);
    } catch (const OptionError& error) {
        return error.what();
    }
    return {};
}

TEST(AddedInputs, WhatTheOptionsDoNotAllowIsAnErrorThatChangesNothing) {
    StreamModel grouped(4, 1, {.keep = {2}, .penalty = Penalty::group_lasso, .groups = {0, 0, 1, 1}});
    EXPECT_NE(problem_of(grouped, 2).find("make a new model, with the group of each input"), std::string::npos);
    EXPECT_EQ(grouped.inputs(), 4U);

    // One number for each of the two components; with nine inputs there would be three.
    StreamModel kept(8, 1, {.keep = {4, 3}});
    EXPECT_NE(problem_of(kept, 1).find("one for each of the 3 components"), std::string::npos);
    EXPECT_EQ(kept.inputs(), 8U);

    StreamModel small(100, 1, {.forgetting = 0.5, .memory_limit = std::size_t{4} << 20U});
    const auto table = arriving_table(14, {.rows = 1, .p = 100});
    small.learn_many(table.all_x(), table.all_y());
    ASSERT_EQ(small.engine(), Engine::dense);
    EXPECT_NE(problem_of(small, 900).find("which engine = dense needs for 1000 inputs"), std::string::npos);
    EXPECT_EQ(small.inputs(), 100U);
    EXPECT_NE(problem_of(small, std::numeric_limits<std::size_t>::max()).find("must be fewer"), std::string::npos);
    EXPECT_NE(problem_of(small, std::size_t{1} << 40U).find("memory_limit"), std::string::npos);
}

}  // namespace
}  // namespace sluice::test::added_inputs_test
