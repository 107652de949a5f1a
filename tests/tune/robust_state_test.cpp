// A model that holds rows back: its state goes on bit for bit, and any stream is met with finite numbers.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "breaking.hpp"
#include "sluice/adaptive.hpp"
#include "sluice/error.hpp"

namespace sluice::robust_state_test {
namespace {

using test::breaking_table;
using test::Table;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// Wrong labels, ever larger, one by one and in runs, spikes, a sensor that stops, and gaps in the labels after some of them.
Table faulty_table(std::uint64_t seed, std::size_t rows, std::size_t q) {
    Table table = breaking_table(seed, {.rows = rows, .p = 6, .q = q, .every = 140, .noise = 0.1});
    for (std::size_t t = 60; t < rows; ++t) {
        const std::size_t phase = t % 40;
        if (phase == 5 || (phase >= 17 && phase < 17 + (t / 40))) {
            table.y_row(t)[t % q] += (300.0 + static_cast<double>(100 * (t % 3))) * std::pow(8.0, t / 40);
        }
        if (phase >= 6 && phase < 9) {
            std::ranges::fill(table.y_row(t), kNaN);
        }
        if (phase == 30) {
            table.x_row(t)[t % 6] = 1e4;
        }
        if (t >= 130 && phase >= 33 && phase < 38) {
            table.x_row(t)[t / 40 % 6] = 0.25;
        }
    }
    return table;
}

void expect_same(const StepReport& a, const StepReport& b) {
    ASSERT_EQ(a.row, b.row);
    ASSERT_EQ(a.outcome, b.outcome);
    ASSERT_EQ(a.error_before, b.error_before);
    ASSERT_EQ(a.forgetting, b.forgetting);
    ASSERT_EQ(a.shrinkage, b.shrinkage);
    ASSERT_EQ(a.components, b.components);
    ASSERT_EQ(a.keep, b.keep);
    ASSERT_EQ(a.last_value_share, b.last_value_share);
    ASSERT_EQ(a.explained_covariance, b.explained_covariance);
    ASSERT_EQ(a.missing_inputs, b.missing_inputs);
    ASSERT_EQ(a.missing_outputs, b.missing_outputs);
    ASSERT_EQ(a.constant_inputs, b.constant_inputs);
    ASSERT_EQ(a.alarm.since, b.alarm.since);
    ASSERT_TRUE(std::ranges::equal(a.predicted, b.predicted));
    ASSERT_TRUE(std::ranges::equal(a.selected, b.selected));
    ASSERT_TRUE(std::ranges::equal(a.entered, b.entered));
    ASSERT_TRUE(std::ranges::equal(a.left, b.left));
    ASSERT_TRUE(std::ranges::equal(a.importances, b.importances));
    ASSERT_TRUE(std::ranges::equal(a.decisions, b.decisions));
    ASSERT_TRUE(std::ranges::equal(a.suspect_inputs, b.suspect_inputs));
    ASSERT_TRUE(std::ranges::equal(a.suspect_outputs, b.suspect_outputs));
}

// Reloaded after every row, beside one that never stops. Returns how many rows were held back.
std::size_t reloaded_at_every_row(const Table& table, const AdaptiveOptions& options) {
    AdaptiveModel whole(table.p, table.q, options);
    auto state = whole.save();
    std::size_t held = 0;
    for (std::size_t t = 0; t < table.rows(); ++t) {
        SCOPED_TRACE(testing::Message() << "row " << t);
        AdaptiveModel again = AdaptiveModel::load(state);
        EXPECT_EQ(again.options(), options);
        EXPECT_EQ(again.save(), state);
        EXPECT_EQ(again.rows_met(), t);
        EXPECT_EQ(again.bytes(), whole.bytes());
        EXPECT_EQ(again.predict(table.x_row(t)), whole.predict(table.x_row(t)));
        const auto expected = whole.learn(table.x_row(t), table.y_row(t));
        const auto report = again.learn(table.x_row(t), table.y_row(t));
        expect_same(report, expected);
        state = again.save();
        EXPECT_EQ(state, whole.save());
        held += expected.suspect_outputs.empty() ? 0U : 1U;
        if (testing::Test::HasFailure()) {
            return held;
        }
    }
    return held;
}

AdaptiveOptions guarded_only(const StreamOptions& model) {
    AdaptiveOptions options{.model = model, .tuning = Tuning::off()};
    options.tuning.robust = true;
    return options;
}

TEST(RobustState, GoesOnBitForBitFromEveryRowWhileRowsAreHeldBack) {
    Tuning all;
    all.names = Names::all;
    for (const std::size_t q : {1UL, 2UL}) {
        const Table table = faulty_table(3 + q, 280, q);
        EXPECT_GT(reloaded_at_every_row(table, {}), 10U);
        EXPECT_GT(reloaded_at_every_row(table, {.model = {}, .tuning = all}), 10U);
    }
}

TEST(RobustState, GoesOnBitForBitWithComponentsGiven) {
    const Table table = faulty_table(5, 280, 2);
    EXPECT_GT(reloaded_at_every_row(table, {.model = {.components = 2, .keep = {3}}, .tuning = {}}), 10U);
}

TEST(RobustState, GoesOnBitForBitWithNothingTuned) {
    const Table table = faulty_table(6, 280, 2);
    EXPECT_GT(reloaded_at_every_row(table, guarded_only({.forgetting = 0.99})), 10U);
    EXPECT_GT(reloaded_at_every_row(table, guarded_only({.components = 2, .keep = {3}, .forgetting = 0.98})), 10U);
    EXPECT_GT(reloaded_at_every_row(table, guarded_only({.forgetting = 0.9})), 5U);  // not steady
}

TEST(RobustState, CopiesGoOnAlikeWhileRowsAreHeldBack) {
    const Table table = faulty_table(7, 280, 1);
    for (const AdaptiveOptions& options : {AdaptiveOptions{}, guarded_only({.forgetting = 0.99})}) {
        AdaptiveModel model(table.p, table.q, options);
        std::size_t held = 0;
        for (std::size_t t = 0; t < table.rows(); ++t) {
            AdaptiveModel copy = model;
            held += model.learn(table.x_row(t), table.y_row(t)).suspect_outputs.empty() ? 0U : 1U;
            copy.learn(table.x_row(t), table.y_row(t));
            ASSERT_EQ(copy.save(), model.save()) << t;
        }
        EXPECT_GT(held, 5U);
    }
}

TEST(RobustState, OffItIsTheStreamModelToTheBitAlsoWithFaults) {
    const Table table = faulty_table(8, 280, 2);
    AdaptiveModel off(table.p, table.q, {.model = {}, .tuning = Tuning::off()});
    StreamModel plain(table.p, table.q);
    for (std::size_t t = 0; t < table.rows(); ++t) {
        ASSERT_EQ(off.predict(table.x_row(t)), plain.predict(table.x_row(t)));
        const auto a = off.learn(table.x_row(t), table.y_row(t));
        const auto b = plain.learn(table.x_row(t), table.y_row(t));
        expect_same(a, b);
        ASSERT_TRUE(a.suspect_inputs.empty() && a.suspect_outputs.empty());
    }
    EXPECT_EQ(off.save(), plain.save());
}

// Without faults robust learning of a model that tunes nothing is that model.
TEST(RobustState, WithoutFaultsItIsTheModelWithoutItToTheBit) {
    const Table table = breaking_table(9, {.rows = 300, .every = 1000});
    for (const AdaptiveOptions& robust : {AdaptiveOptions{}, guarded_only({.forgetting = 0.99})}) {
        AdaptiveOptions options = robust;
        options.tuning.robust = false;
        AdaptiveModel without(table.p, table.q, options);
        AdaptiveModel with(table.p, table.q, robust);
        for (std::size_t t = 0; t < table.rows(); ++t) {
            const auto a = with.learn(table.x_row(t), table.y_row(t));
            const auto b = without.learn(table.x_row(t), table.y_row(t));
            expect_same(a, b);
            if (HasFatalFailure()) {
                FAIL() << "row " << t;
            }
        }
        EXPECT_EQ(with.current().save(), without.current().save());
    }
}

TEST(RobustState, CutShortItIsRefused) {
    const Table table = faulty_table(10, 66, 1);  // the last row is held back
    for (const AdaptiveOptions& options : {AdaptiveOptions{}, guarded_only({.forgetting = 0.99})}) {
        AdaptiveModel model(table.p, table.q, options);
        for (std::size_t t = 0; t < 65; ++t) {
            (void)model.learn(table.x_row(t), table.y_row(t));
        }
        std::vector<double> wrong = {1e5};
        EXPECT_EQ(model.learn(table.x_row(65), wrong).outcome, Outcome::suspect);
        const auto good = model.save();
        for (std::size_t length = 0; length < good.size(); length += 7) {
            ASSERT_THROW((void)AdaptiveModel::load(std::span(good).first(length)), StateError) << length;
        }
    }
}

// Streams of any scale with faults of any size.
RC_GTEST_PROP(RobustState, AnyStreamGivesFiniteNumbers, ()) {
    const auto p = *rc::gen::inRange<std::size_t>(1, 5);
    const auto q = *rc::gen::inRange<std::size_t>(1, 3);
    const auto rows = *rc::gen::inRange<std::size_t>(20, 90);
    AdaptiveOptions options;
    if (*rc::gen::inRange(0, 3) == 0) {
        options = guarded_only({.forgetting = *rc::gen::element(0.9, 0.99, 1.0)});
    }
    const auto seed = *rc::gen::inRange<std::uint64_t>(0, 1000000);
    const double of_x = *rc::gen::element(1e-300, 1e-150, 1.0, 1e150, 1e300);
    const double of_y = *rc::gen::element(1e-300, 1e-150, 1.0, 1e150, 1e300);
    const double fault = *rc::gen::element(0.0, 1e-200, 30.0, 1e8, 1e300);
    const auto every = *rc::gen::inRange<std::size_t>(2, 15);
    NormalSource normal(seed);
    AdaptiveModel model(p, q, options);
    std::vector<double> x(p);
    std::vector<double> y(q);
    const auto any = [&](double scale, std::size_t t) {
        constexpr double kLargest = std::numeric_limits<double>::max();
        double value = scale * normal.next();
        if (t > 20 && t % every == 0) {
            value = std::clamp(value * fault, -kLargest, kLargest);
        }
        return t % 17 == 16 && normal.next() > 1.0 ? kNaN : value;
    };
    for (std::size_t t = 0; t < rows; ++t) {
        for (double& value : x) {
            value = any(of_x, t);
        }
        for (double& value : y) {
            value = any(of_y, normal.next() > 0.0 ? t : t + 1);
        }
        if (!std::isnan(x[0]) && t % every != 0) {
            y[0] = of_y * (x[0] / of_x + normal.next(0.0, 0.01));
        }
        if (std::isinf(y[0])) {
            y[0] = 0.0;
        }
        const auto predicted = model.predict(x);
        const auto report = model.learn(x, y);
        RC_ASSERT(report.row == t);
        RC_ASSERT(model.rows_met() == t + 1);
        RC_ASSERT(std::ranges::equal(report.predicted, predicted));
        RC_ASSERT(std::ranges::all_of(predicted, [](double v) { return std::isfinite(v); }));
        RC_ASSERT(std::isfinite(report.error_before));
        RC_ASSERT(report.forgetting > 0.0 && report.forgetting <= 1.0);
        for (const std::size_t i : report.suspect_inputs) {
            RC_ASSERT(i < p && !std::isnan(x[i]));
        }
        for (const std::size_t k : report.suspect_outputs) {
            RC_ASSERT(k < q && !std::isnan(y[k]));
        }
    }
    for (const double number : model.intercept()) {
        RC_ASSERT(std::isfinite(number));
    }
    RC_ASSERT(AdaptiveModel::load(model.save()).save() == model.save());
}

}  // namespace
}  // namespace sluice::robust_state_test
