#include "first_rows.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "far_outside.hpp"
#include "sluice/error.hpp"
#include "state.hpp"

namespace sluice::tune::first_rows_test {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kInputs = 4;
constexpr std::size_t kLastRow = kFewestKnown + 1U;  // of the first rows
using Row = std::vector<double>;

// Within [0, 1); the first two rows have the ends of the range, so that its width is 1.
double in_unit(std::size_t row) {
    return row == 0 ? 0.0 : row == 1 ? 1.0 : std::fmod(static_cast<double>(row) * 0.618, 1.0);
}

// Rows of four inputs and one output, of which one value is replaced. The number of rows after which the wrong value was found; 0: never.
struct Fed {
    FirstRows rows{kInputs, 1};
    std::size_t found = 0;

    Fed(std::size_t count, std::size_t at, std::size_t column, double value, double scale = 1.0) {
        for (std::size_t row = 0; row < count; ++row) {
            Row numbers(kInputs + 1, scale * in_unit(row));
            if (row == at) {
                numbers[column] = value;
            }
            if (rows.add(std::span(numbers).first(kInputs), std::span(numbers).last(1)) && found == 0) {
                found = row + 1;
            }
        }
    }
};

TEST(FarOutside, IsMeasuredInWidthsOfTheRange) {
    EXPECT_FALSE(far_outside(15.9, 0.0, 1.0, 15.0));
    EXPECT_TRUE(far_outside(16.1, 0.0, 1.0, 15.0));
    EXPECT_FALSE(far_outside(-14.9, 0.0, 1.0, 15.0));
    EXPECT_TRUE(far_outside(-15.1, 0.0, 1.0, 15.0));
    EXPECT_FALSE(far_outside(1e300, 1.0, 1.0, 15.0));
    EXPECT_FALSE(far_outside(kNaN, 0.0, 1.0, 15.0));
    EXPECT_FALSE(far_outside(1.7e308, -1.7e308, 1.7e308, 15.0));
}

TEST(FirstRows, AWrongLabelAmongTheFirstSixIsMissingAfterTheSeventhRow) {
    for (std::size_t at = 2; at < 6; ++at) {
        for (const double wrong : {1e3, -1e3, 1e7}) {
            const Fed fed(7, at, kInputs, wrong);
            EXPECT_EQ(fed.found, 7U) << at;
            for (std::size_t row = 0; row < 7; ++row) {
                EXPECT_EQ(std::isnan(fed.rows.y(row)[0]), row == at) << row;
                EXPECT_FALSE(std::isnan(fed.rows.x(row)[0]));
            }
        }
    }
}

TEST(FirstRows, TheFirstValueIsJudgedToo) {
    const Fed fed(7, 0, kInputs, 1e7);
    EXPECT_EQ(fed.found, 7U);
    EXPECT_TRUE(std::isnan(fed.rows.y(0)[0]));
}

TEST(FirstRows, AWrongInputIsMissingWhenTheFirstRowsEndAndItsRowOtherwiseKept) {
    for (std::size_t at = 0; at < kLastRow - 1U; ++at) {
        const Fed fed(kLastRow, at, 2, -1e5);
        EXPECT_EQ(fed.found, kLastRow);
        EXPECT_TRUE(std::isnan(fed.rows.x(at)[2]));
        EXPECT_EQ(fed.rows.x(at)[1], in_unit(at));
        EXPECT_EQ(fed.rows.y(at)[0], in_unit(at));
    }
}

// As in the task sru: an input that stands nearly still and then moves to another level is right.
TEST(FirstRows, AnInputThatMovesToAnotherLevelIsKept) {
    FirstRows rows(1, 1);
    for (std::size_t row = 0; row < kLastRow; ++row) {
        const double level = row < 6 ? 0.0 : 50.0 - (40.0 / static_cast<double>(row - 5));
        EXPECT_FALSE(rows.add(Row{level + (0.1 * in_unit(row))}, Row{in_unit(row)})) << row;
    }
}

TEST(FirstRows, AnInputMayLieOutsideByFiftyWidths) {
    EXPECT_EQ(Fed(kLastRow, 3, 2, 1.0 + kFarthest - 0.01).found, 0U);
    EXPECT_EQ(Fed(kLastRow, 3, 2, 1.0 + kFarthest + 0.01).found, kLastRow);
}

TEST(FirstRows, ALabelMayLieOutsideByFiveWidths) {
    EXPECT_EQ(Fed(7, 3, kInputs, 1.0 + kFirstReach - 0.01).found, 0U);
    EXPECT_EQ(Fed(7, 3, kInputs, 1.0 + kFirstReach + 0.01).found, 7U);
    EXPECT_EQ(Fed(7, 3, kInputs, -kFirstReach + 0.01).found, 0U);
    EXPECT_EQ(Fed(7, 3, kInputs, -kFirstReach - 0.01).found, 7U);
}

TEST(FirstRows, TheScaleDoesNotMatter) {
    for (const double scale : {1e-300, 1e-150, 1e150, 1e300}) {
        EXPECT_EQ(Fed(7, 3, kInputs, 1e3 * scale, scale).found, 7U) << scale;
        EXPECT_EQ(Fed(7, 3, kInputs, 2.0 * scale, scale).found, 0U) << scale;
    }
}

// The newest may be the first of a new level; what is very far away is held back when it comes (error_watch.hpp).
TEST(FirstRows, AllLabelsButTheNewestAreJudgedAgainWhenTheFirstRowsEnd) {
    for (std::size_t at = 6; at < 25; ++at) {
        EXPECT_EQ(Fed(25, at, kInputs, 1e3).found, at + 1U < kLastRow ? kLastRow : 0U) << at;
    }
}

TEST(FirstRows, AColumnWithGapsIsJudgedWhenTheFirstRowsEnd) {
    FirstRows rows(1, 1);
    std::size_t found = 0;
    for (std::size_t row = 0; row < kLastRow; ++row) {
        const Row x = {in_unit(row)};
        const Row y = {row % 2 == 1 ? kNaN : row == 4 ? 1e6 : in_unit(row)};
        found = rows.add(x, y) ? row + 1 : found;
    }
    EXPECT_EQ(found, kLastRow);
    EXPECT_TRUE(std::isnan(rows.y(4)[0]));
    EXPECT_EQ(rows.y(6)[0], in_unit(6));
}

TEST(FirstRows, WhatHasNotVariedAllowsAnything) {
    FirstRows rows(1, 1);
    for (std::size_t row = 0; row < kLastRow; ++row) {
        const Row one = {row == 2 ? 1e9 : 5.0};
        EXPECT_FALSE(rows.add(one, one)) << row;
    }
}

TEST(FirstRows, ManyInputsAtOnceAreBelieved) {
    FirstRows rows(kInputs, 1);
    for (std::size_t row = 0; row < kLastRow; ++row) {
        const Row x(kInputs, row == 4 ? 1e6 : in_unit(row));
        EXPECT_FALSE(rows.add(x, Row{in_unit(row)})) << row;
    }
}

TEST(FirstRows, KeepNothingOnceTheyAreOver) {
    const Fed fed(kLastRow, 99, 0, 0.0);
    EXPECT_EQ(fed.rows.size(), 0U);
    EXPECT_EQ(fed.rows.bytes(), 0U);
    EXPECT_EQ(Fed(kLastRow - 1U, 99, 0, 0.0).rows.size(), kLastRow - 1U);
}

std::vector<std::byte> saved(const FirstRows& rows) {
    core::StateWriter out;
    rows.save(out);
    return std::move(out).unframed();
}

void load(const std::vector<std::byte>& bytes, FirstRows& rows) {
    auto in = core::StateReader::unframed(bytes);
    rows.load(in);
    EXPECT_EQ(in.left(), 0U);
}

TEST(FirstRows, GoOnAfterBeingSavedAtAnyRow) {
    FirstRows one(2, 1);
    for (std::size_t row = 0; row < 25; ++row) {
        FirstRows again(2, 1);
        load(saved(one), again);
        const Row x = {row == 4 ? kNaN : in_unit(row), in_unit(row)};
        const Row y = {row == 3 ? 1e5 : in_unit(row)};
        const bool found = one.add(x, y);
        EXPECT_EQ(found, row == 6) << row;
        ASSERT_EQ(again.add(x, y), found);
        ASSERT_EQ(saved(again), saved(one)) << row;
        ASSERT_EQ(again.bytes(), one.bytes());
    }
}

TEST(FirstRows, InputsThatWereAddedAreMissingInTheRowsBefore) {
    const Fed fed(5, 99, 0, 0.0);
    const auto bytes = saved(fed.rows);
    FirstRows wider(kInputs + 2, 1);
    auto in = core::StateReader::unframed(bytes);
    in.set_added_inputs(2);
    wider.load(in);
    ASSERT_EQ(wider.size(), 5U);
    EXPECT_EQ(wider.x(2)[3], in_unit(2));
    EXPECT_TRUE(std::isnan(wider.x(2)[4]) && std::isnan(wider.x(2)[5]));
    EXPECT_EQ(wider.y(2)[0], in_unit(2));
}

// A flag, the number of rows, the rows.
TEST(FirstRows, AnyFieldOutOfRangeIsRefused) {
    const auto good = saved(Fed(5, 99, 0, 0.0).rows);
    FirstRows again(kInputs, 1);
    EXPECT_NO_THROW(load(good, again));
    const auto with = [&](std::size_t at, auto value) {
        auto bytes = good;
        std::memcpy(bytes.data() + at, &value, sizeof(value));
        return bytes;
    };
    EXPECT_THROW(load(with(0, std::uint8_t{2}), again), StateError);
    EXPECT_THROW(load(with(0, std::uint8_t{1}), again), StateError);  // over, with rows
    EXPECT_THROW(load(with(1, std::uint64_t{6}), again), StateError);
    EXPECT_THROW(load(with(1, std::uint64_t{kLastRow}), again), StateError);
    EXPECT_THROW(load(with(1, ~std::uint64_t{0}), again), StateError);
    EXPECT_THROW(load(with(9, HUGE_VAL), again), StateError);
    for (std::size_t length = 0; length < good.size(); ++length) {
        const std::vector<std::byte> cut(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(length));
        EXPECT_THROW(load(cut, again), StateError) << length;
    }
}

}  // namespace
}  // namespace sluice::tune::first_rows_test
