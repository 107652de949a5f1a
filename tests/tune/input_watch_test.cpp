#include "input_watch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "robust_constants.hpp"
#include "sluice/error.hpp"
#include "sluice/simulate.hpp"
#include "state.hpp"

namespace sluice::tune::input_watch_test {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kLargest = std::numeric_limits<double>::max();
using Inputs = std::vector<std::size_t>;

// A watch with what it said of the last row.
struct Watched {
    InputWatch watch;
    std::vector<double> believed = {};

    explicit Watched(std::size_t inputs) : watch(inputs) {}

    // The suspect inputs. look() must say the same before.
    Inputs add(const std::vector<double>& x) {
        std::vector<double> looked;
        const bool expected = std::as_const(watch).look(x, looked);
        const bool any = watch.add(x, believed);
        EXPECT_EQ(any, expected);
        Inputs suspects(watch.suspects().begin(), watch.suspects().end());
        EXPECT_EQ(any, !suspects.empty());
        if (any) {
            for (std::size_t i = 0; i < x.size(); ++i) {
                const bool missing = std::isnan(x[i]) || std::ranges::binary_search(suspects, i);
                EXPECT_EQ(std::isnan(believed[i]), missing);
                EXPECT_EQ(std::isnan(looked[i]), missing);
                EXPECT_TRUE(missing || (believed[i] == x[i] && looked[i] == x[i]));
            }
        }
        return suspects;
    }
};

// Ascending, within [0, 1), without repeats: range and width are known.
double in_unit(std::size_t row) {
    return std::fmod(static_cast<double>(row) * 0.6180339887498949, 1.0);
}

Watched taught(std::size_t inputs, std::size_t rows, double scale = 1.0) {
    Watched one(inputs);
    for (std::size_t row = 0; row < rows; ++row) {
        EXPECT_TRUE(one.add(std::vector<double>(inputs, scale * (row == 1   ? 0.0
                                                                 : row == 2 ? 1.0
                                                                            : in_unit(row + 1))))
                        .empty())
            << "row " << row;
    }
    return one;
}

TEST(InputWatch, AValueFartherOutsideTheRangeThanItsReachIsSuspect) {
    const Watched one = taught(2, 60);  // range [0, 1]
    for (const double beyond : {kInputReach - 0.01, kInputReach + 0.01}) {
        for (const double value : {-beyond, 1.0 + beyond}) {
            Watched copy = one;
            const Inputs expected = beyond > kInputReach ? Inputs{1} : Inputs{};
            EXPECT_EQ(copy.add({0.5, value}), expected) << value;
        }
    }
}

TEST(InputWatch, NothingIsSuspectBeforeEnoughValuesAreKnown) {
    Watched few = taught(1, kFewestKnown - 1);
    EXPECT_TRUE(few.add({1e6}).empty());
    Watched enough = taught(1, kFewestKnown);
    EXPECT_EQ(enough.add({1e6}), Inputs{0});
}

TEST(InputWatch, SuspectValuesDoNotWidenTheRange) {
    Watched one = taught(1, 60);
    for (std::size_t fault = 0; fault < 20; ++fault) {
        EXPECT_EQ(one.add({1000.0}), Inputs{0}) << fault;
        EXPECT_TRUE(one.add({in_unit(fault + 100)}).empty());
    }
}

TEST(InputWatch, BelievedValuesWidenTheRange) {
    Watched one = taught(1, 60);
    EXPECT_TRUE(one.add({5.0}).empty());
    EXPECT_TRUE(one.add({25.0}).empty());  // five widths of [0, 5] above it
    EXPECT_EQ(one.add({160.0}), Inputs{0});
}

// The range is that of the last one to two blocks of rows: a value that was usual long ago is suspect again.
TEST(InputWatch, TheRangeForgets) {
    Watched one(1);
    for (std::size_t row = 0; row < kRangeRows; ++row) {
        EXPECT_TRUE(one.add({100.0 * in_unit(row)}).empty());
    }
    for (std::size_t row = 0; row + 1 < kRangeRows; ++row) {
        EXPECT_TRUE(one.add({in_unit(row)}).empty());
    }
    EXPECT_TRUE(Watched(one).add({99.0}).empty());
    for (std::size_t row = 0; row < 2; ++row) {
        EXPECT_TRUE(one.add({in_unit(row)}).empty());
    }
    EXPECT_EQ(one.add({99.0}), Inputs{0});
}

TEST(InputWatch, AnInputThatStaysAwayIsBelievedAfterSixRows) {
    Watched one = taught(1, 60);
    for (std::size_t row = 0; row < kPatience; ++row) {
        EXPECT_EQ(one.add({1000.0 + in_unit(row)}), Inputs{0}) << row;
    }
    for (std::size_t row = 0; row < 60; ++row) {
        EXPECT_TRUE(one.add({1000.0 + in_unit(row)}).empty()) << row;
    }
    EXPECT_EQ(one.add({0.5}), Inputs{0});  // the old level is far from the new one
}

TEST(InputWatch, PatienceBeginsAgainWhereTheInputReturns) {
    Watched one = taught(1, 60);
    for (std::size_t round = 0; round < 3; ++round) {
        for (std::size_t row = 0; row + 1 < kPatience; ++row) {
            EXPECT_EQ(one.add({1000.0 + in_unit(row)}), Inputs{0});
        }
        EXPECT_TRUE(one.add({in_unit(round + 70)}).empty());
    }
}

TEST(InputWatch, MissingValuesNeitherEndARunNorCount) {
    Watched one = taught(1, 60);
    for (std::size_t row = 0; row < kPatience; ++row) {
        EXPECT_EQ(one.add({1000.0 + in_unit(row)}), Inputs{0});
        EXPECT_TRUE(one.add({kNaN}).empty());
    }
    EXPECT_TRUE(one.add({1000.5}).empty());
    Watched unknown(1);
    for (std::size_t row = 0; row < 200; ++row) {
        EXPECT_TRUE(unknown.add({kNaN}).empty());
    }
    EXPECT_TRUE(unknown.add({1e9}).empty());
}

// An input that was missing for more than two blocks is still held to the range that it had.
TEST(InputWatch, TheRangeOutlivesALongGap) {
    Watched one = taught(1, 60);
    for (std::size_t row = 0; row < 3U * kRangeRows; ++row) {
        EXPECT_TRUE(one.add({kNaN}).empty());
    }
    EXPECT_TRUE(Watched(one).add({0.5}).empty());
    EXPECT_EQ(one.add({1e6}), Inputs{0});
}

TEST(InputWatch, ManyInputsFarAwayAtOnceAreBelieved) {
    for (const std::size_t inputs : {4UL, 40UL}) {
        const std::size_t few = kFewFail + (inputs / kManyShare);
        for (const std::size_t away : {few, few + 1}) {
            Watched one = taught(inputs, 60);
            std::vector<double> x(inputs, 0.5);
            std::fill_n(x.begin(), away, 1000.0);
            EXPECT_EQ(one.add(x).size(), away == few ? few : 0U);
            // Believed, it is the new level at once.
            std::fill_n(x.begin(), away, 1001.0);
            EXPECT_EQ(one.add(x).size(), away == few ? few : 0U);
        }
    }
}

TEST(InputWatch, ASensorThatHasStoppedIsSuspectFromTheSecondRepeatOnUntilItIsAConstant) {
    Watched one = taught(2, 150);
    const double stuck = 0.321;
    for (std::size_t repeat = 0; repeat < 100; ++repeat) {  // the first is no repeat
        const bool suspect = repeat >= kStoppedRepeats && repeat <= kMostStopped;
        EXPECT_EQ(one.add({in_unit(repeat + 500), stuck}), suspect ? Inputs{1} : Inputs{}) << repeat;
    }
    EXPECT_TRUE(one.add({0.123, 0.7}).empty());  // it works again
}

TEST(InputWatch, AnInputThatOftenRepeatsItselfMayDoSo) {
    Watched one(1);
    for (std::size_t row = 0; row < 400; ++row) {  // each value twice, now and then six times
        EXPECT_TRUE(one.add({in_unit(row % 90 < 6 ? 0 : row / 2)}).empty()) << row;
    }
}

TEST(InputWatch, AfterAStopItCanBeFoundToHaveStoppedAgainAfterSomeRows) {
    Watched one = taught(1, 150);
    for (std::size_t round = 0; round < 3; ++round) {
        const double stuck = in_unit(round + 900);
        EXPECT_TRUE(one.add({stuck}).empty());
        EXPECT_TRUE(one.add({stuck}).empty());
        EXPECT_EQ(one.add({stuck}), Inputs{0});
        EXPECT_EQ(one.add({stuck}), Inputs{0});
        for (std::size_t row = 0; row < kStoppedAgain; ++row) {
            EXPECT_TRUE(one.add({in_unit((row % 700) + 1)}).empty());
        }
    }
}

// A dead sensor that gives one value far away: far at first, then stopped, then a constant. Its repeats were once counted from the start
// again after the first six rows, and two rows in between were believed.
TEST(InputWatch, AConstantFarAwayIsSuspectUntilItIsAConstant) {
    Watched one = taught(1, 150);
    for (std::size_t row = 0; row < 100; ++row) {
        EXPECT_EQ(one.add({-500.0}).empty(), row > kMostStopped) << row;
    }
    EXPECT_TRUE(one.add({0.5}).empty());
}

TEST(InputWatch, WhatHasNotVariedAllowsAnything) {
    Watched one(1);
    for (std::size_t row = 0; row < 300; ++row) {
        EXPECT_TRUE(one.add({7.0}).empty());
    }
    EXPECT_TRUE(one.add({1e9}).empty());
}

TEST(InputWatch, TheScaleDoesNotMatter) {
    for (const double scale : {1e-150, 1e-300, 1.0, 1e150, 1e300}) {
        Watched one = taught(2, 60, scale);
        EXPECT_TRUE(one.add({scale * 5.9, scale * 0.5}).empty()) << scale;
        EXPECT_EQ(one.add({scale * 0.5, scale * 1e4}), Inputs{1}) << scale;
        EXPECT_EQ(one.add({scale * -1e4, scale * 0.5}), Inputs{0}) << scale;
    }
}

TEST(InputWatch, TheLargestNumbersAreNoTrouble) {
    Watched small = taught(1, 60);
    EXPECT_EQ(small.add({kLargest}), Inputs{0});
    EXPECT_EQ(small.add({-kLargest}), Inputs{0});
    Watched wide(1);
    for (std::size_t row = 0; row < 60; ++row) {  // the width of the range is no finite number
        EXPECT_TRUE(wide.add({row % 2 == 0 ? 1e308 * in_unit(row) : -1.7e308 * in_unit(row)}).empty());
    }
    EXPECT_TRUE(wide.add({kLargest}).empty());
    EXPECT_TRUE(wide.add({0.0}).empty());
    Watched tiny = taught(1, 60, std::numeric_limits<double>::denorm_min() * 1000.0);
    EXPECT_EQ(tiny.add({1e-300}), Inputs{0});
}

std::vector<std::byte> saved(const InputWatch& watch) {
    core::StateWriter out;
    watch.save(out);
    return std::move(out).unframed();
}

void load(const std::vector<std::byte>& bytes, InputWatch& watch) {
    auto in = core::StateReader::unframed(bytes);
    watch.load(in);
    EXPECT_EQ(in.left(), 0U);
}

TEST(InputWatch, GoesOnAfterBeingSavedAtAnyRow) {
    Watched one(3);
    NormalSource normal(7);
    std::size_t suspect = 0;
    for (std::size_t row = 0; row < 1200; ++row) {
        Watched again(3);
        load(saved(one.watch), again.watch);
        std::vector<double> x = {normal.next(), row % 40 > 34 ? 0.5 : normal.next(),
                                 row % 9 == 0 ? kNaN : normal.next()};
        x[0] += row % 100 == 99 ? 1e3 : row > 600 && row % 150 < 7 ? -1e5 : 0.0;
        const Inputs suspects = one.add(x);
        ASSERT_EQ(again.add(x), suspects) << row;
        ASSERT_EQ(saved(again.watch), saved(one.watch)) << row;
        suspect += suspects.size();
    }
    EXPECT_GT(suspect, 15U);
}

template <typename T>
std::vector<std::byte> with(std::vector<std::byte> bytes, std::size_t at, T value) {
    std::memcpy(bytes.data() + at, &value, sizeof(value));
    return bytes;
}

// Of one input: rows, five numbers, unlike, known, alike, away, in_block, in_before, met.
TEST(InputWatch, AnyFieldOutOfRangeIsRefused) {
    const Watched one = taught(1, 520);  // both blocks have values
    const auto good = saved(one.watch);
    ASSERT_EQ(good.size(), 58U);
    InputWatch again(1);
    EXPECT_NO_THROW(load(good, again));
    for (std::size_t at = 8; at < 48; at += 8) {
        EXPECT_THROW(load(with(good, at, kNaN), again), StateError) << at;
        EXPECT_THROW(load(with(good, at, -HUGE_VAL), again), StateError) << at;
    }
    EXPECT_THROW(load(with(good, 8, 2.0), again), StateError);    // low above high
    EXPECT_THROW(load(with(good, 16, -1.0), again), StateError);  // high below low
    EXPECT_THROW(load(with(good, 24, 2.0), again), StateError);   // of the block before
    EXPECT_THROW(load(with(good, 32, -1.0), again), StateError);
    const auto refused = [&](std::size_t at, auto largest) {
        EXPECT_NO_THROW(load(with(good, at, largest), again)) << at;
        EXPECT_THROW(load(with(good, at, static_cast<decltype(largest)>(largest + 1)), again), StateError) << at;
    };
    refused(48, kNeverRepeats);
    refused(50, kFewestKnown);
    refused(51, kMostStopped);
    refused(52, static_cast<std::uint8_t>(kPatience - 1));
    refused(53, kRangeRows);
    refused(55, kRangeRows);
    refused(57, std::uint8_t{1});
    for (std::size_t length = 0; length < good.size(); ++length) {
        const std::vector<std::byte> cut(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(length));
        EXPECT_THROW(load(cut, again), StateError) << length;
    }
}

}  // namespace
}  // namespace sluice::tune::input_watch_test
