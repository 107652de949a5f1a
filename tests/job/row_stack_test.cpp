#include "row_stack.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "state.hpp"
#include "usage.hpp"

namespace row_stack_test {
namespace {

using sluice::RowLayout;
using sluice::job::RowStack;

// Numbers as text, so that missing ones compare equal.
std::string text(std::span<const double> x) {
    std::string out;
    for (const double value : x) {
        out += (out.empty() ? "" : " ") + (std::isnan(value) ? std::string("-") : std::to_string(std::lround(value)));
    }
    return out;
}

// Row t has the inputs 10 t and 10 t + 1 and the outputs 100 t and 100 t + 1.
std::vector<std::string> stacked_rows(const RowLayout& layout, int rows) {
    RowStack stack(2, 2, layout);
    std::vector<std::string> out;
    for (int t = 1; t <= rows; ++t) {
        const std::vector<double> x = {10.0 * t, (10.0 * t) + 1.0};
        const std::vector<double> y = {100.0 * t, (100.0 * t) + 1.0};
        out.push_back(text(stack.push(x, y)));
    }
    return out;
}

TEST(RowStack, WithoutAHorizonTargetLagOneIsTheRowBefore) {
    EXPECT_EQ(
        stacked_rows({.lags = {0}, .horizon = 0, .target_lags = {1, 3}}, 4),
        (std::vector<std::string>{"10 11 - - - -", "20 21 100 - 101 -", "30 31 200 - 201 -", "40 41 300 100 301 101"}));
}

// The outputs of a row arrive with it: a forecast for a later row knows them.
TEST(RowStack, WithAHorizonTargetLagOneIsTheSameRowHoweverFarTheHorizonIs) {
    const std::vector<std::string> expected = {"10 11 100 - 101 -", "20 21 200 - 201 -", "30 31 300 100 301 101"};
    EXPECT_EQ(stacked_rows({.lags = {0}, .horizon = 1, .target_lags = {1, 3}}, 3), expected);
    EXPECT_EQ(stacked_rows({.lags = {0}, .horizon = 7, .target_lags = {1, 3}}, 3), expected);
    EXPECT_EQ(stacked_rows({.lags = {0}, .horizon = 2, .target_lags = {1}}, 2),
              (std::vector<std::string>{"10 11 100 101", "20 21 200 201"}));
}

TEST(RowStack, TheLaggedTargetsFollowTheLaggedInputs) {
    const RowLayout layout{.lags = {0, 1}, .horizon = 0, .target_lags = {2}};
    EXPECT_EQ(stacked_rows(layout, 3).back(), "30 20 31 21 100 101");
    EXPECT_EQ(sluice::stacked_names({.inputs = {"a", "b"}, .targets = {"y", "z"}}, layout),
              (std::vector<std::string>{"a", "a@-1", "b", "b@-1", "y@-2", "z@-2"}));
    EXPECT_EQ(layout.width(2, 2), 6U);
}

TEST(RowStack, AMissingTargetIsAMissingInputAtItsLagOnly) {
    RowStack stack(1, 1, {.lags = {0}, .horizon = 0, .target_lags = {1, 2}});
    const std::vector<double> outputs = {5.0, std::nan(""), 7.0, 8.0};
    std::vector<std::string> rows;
    for (const double y : outputs) {
        rows.push_back(text(stack.push(std::vector{0.0}, {&y, 1})));
    }
    EXPECT_EQ(rows, (std::vector<std::string>{"0 - -", "0 5 -", "0 - 5", "0 7 -"}));
}

TEST(RowStack, WithoutLagsTheRowIsNotCopiedAndNeedsNoOutputs) {
    RowStack stack(2, 2, {});
    const std::vector<double> row = {1.0, 2.0};
    EXPECT_EQ(stack.push(row, {}).data(), row.data());
}

TEST(RowStack, GoesOnFromItsSavedRows) {
    for (const std::size_t horizon : {0U, 2U}) {
        const RowLayout layout{.lags = {0, 2}, .horizon = horizon, .target_lags = {1, 4}};
        RowStack whole(1, 1, layout);
        for (double t = 0; t < 9; ++t) {
            const double x = t;
            const double y = 100 + t;
            sluice::core::StateWriter out;
            whole.save(out);
            const std::vector<std::byte> bytes = std::move(out).unframed();
            RowStack part(1, 1, layout);
            auto in = sluice::core::StateReader::unframed(bytes);
            part.load(in);
            EXPECT_EQ(in.left(), 0U);
            EXPECT_EQ(text(part.push({&x, 1}, {&y, 1})), text(whole.push({&x, 1}, {&y, 1})));
        }
    }
}

TEST(TargetLags, AreParsedLikeLagsAndBeginAtOne) {
    EXPECT_EQ(sluice::job::parse_target_lags("1:5"), (std::vector<std::size_t>{1, 2, 3, 4, 5}));
    EXPECT_EQ(sluice::job::parse_target_lags("24,1:2"), (std::vector<std::size_t>{1, 2, 24}));
    EXPECT_EQ(sluice::job::parse_target_lags("100000"), std::vector<std::size_t>{100'000});
    const auto reason = [](const char* wrong) -> std::string {
        try {
            (void)sluice::job::parse_target_lags(wrong);
        } catch (const sluice::job::UsageError& error) {
            return error.what();
        }
        return "no error";
    };
    EXPECT_EQ(reason("0:5"),
              "target_lags: 0:5 has 0, the value to predict, which is not known yet. Begin at 1, the newest known "
              "value, such as 1:5");
    EXPECT_EQ(reason("a"), "target_lags: a is not a list of rows back, such as 1:5 or 1,2,24, each at most 100000");
    EXPECT_EQ(reason("3:1"), "target_lags: the range 3:1 ends before it begins");
    EXPECT_NE(reason("100001"), "no error");
    EXPECT_NE(reason(""), "no error");
}

}  // namespace
}  // namespace row_stack_test
