#include "input_range.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "sluice/simulate.hpp"
#include "state.hpp"

namespace sluice::tune::input_range_test {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// Means and mean squared steps of all rows so far, where the first row says nothing about the spread.
TEST(InputRange, ReportsTheLargestDeviationInDeviations) {
    InputRange range(3);
    NormalSource normal(2);
    std::vector<double> mean(3, 0.0);
    std::vector<double> square(3, 0.0);
    for (int row = 0; row < 200; ++row) {
        const std::vector<double> x{normal.next(5.0, 2.0), normal.next(-1.0, 0.1), 7.0};
        double most = 0.0;
        for (std::size_t j = 0; j < 3; ++j) {
            const double apart = x[j] - mean[j];
            if (square[j] > 0.0) {
                most = std::max(most, std::abs(apart) / std::sqrt(square[j]));
            }
            mean[j] += apart / (row + 1.0);
            square[j] += row == 0 ? 0.0 : ((apart * apart) - square[j]) / (row + 1.0);
        }
        ASSERT_NEAR(range.add(x), most, 1e-9 * (1.0 + most)) << "row " << row;  // 200 products of roots
    }
    EXPECT_NEAR(range.add(std::vector<double>{5.0, -1.0 + 1.0, 7.0}), 10.0, 1.5);
}

TEST(InputRange, IgnoresMissingInputsAndStaysFinite) {
    InputRange range(2);
    const double large = std::numeric_limits<double>::max();
    for (const double value : {1e-310, 0.0, 1.0, kNaN, large, -large, large, 1e-320, kNaN, 1.0}) {
        const double found = range.add(std::vector<double>{value, kNaN});
        ASSERT_TRUE(std::isfinite(found)) << value;
        ASSERT_GE(found, 0.0);
    }
}

TEST(InputRange, WatchesAtMostAThousandInputsEvenlySpaced) {
    constexpr std::size_t kInputs = 2500;  // every third
    InputRange range(kInputs);
    NormalSource normal(3);
    std::vector<double> x(kInputs);
    for (int row = 0; row < 50; ++row) {
        std::ranges::generate(x, [&] { return normal.next(); });
        (void)range.add(x);
    }
    x[1] = 1000.0;  // not watched
    EXPECT_LT(range.add(x), 20.0);
    x[2499] = 1000.0;
    EXPECT_GT(range.add(x), 100.0);
}

TEST(InputRange, GoesOnAfterBeingSaved) {
    InputRange range(4);
    NormalSource normal(5);
    for (int row = 0; row < 30; ++row) {
        core::StateWriter out;
        range.save(out);
        const auto bytes = std::move(out).unframed();
        auto in = core::StateReader::unframed(bytes);
        InputRange again(4);
        again.load(in);
        ASSERT_EQ(in.left(), 0U);
        const std::vector<double> x{normal.next(), normal.next(), row % 3 == 0 ? kNaN : normal.next(), 1.0};
        ASSERT_EQ(again.add(x), range.add(x));
    }
}

// Up to 1000 inputs each is watched, then every second, then every third.
TEST(InputRange, WhereInputsAreAddedItGoesOnUnlessOtherInputsAreWatched) {
    struct Case {
        std::size_t before;
        std::size_t after;
        bool goes_on;
    };
    for (const Case one : {Case{3, 5, true}, {900, 1900, true}, {1500, 1900, true}, {1500, 2500, false}}) {
        SCOPED_TRACE(testing::Message() << one.before << " to " << one.after);
        InputRange range(one.before);
        NormalSource normal(6);
        std::vector<double> x(one.after, kNaN);
        const auto known = std::span(x).first(one.before);
        for (int row = 0; row < 50; ++row) {
            std::ranges::generate(known, [&] { return normal.next(); });
            (void)range.add(known);
        }
        core::StateWriter out;
        range.save(out);
        const auto bytes = std::move(out).unframed();
        auto in = core::StateReader::unframed(bytes);
        in.set_added_inputs(one.after - one.before);
        InputRange wider(one.after);
        wider.load(in);
        ASSERT_EQ(in.left(), 0U);
        std::ranges::fill(known, 0.0);
        x[0] = 50.0;  // watched before and after
        const double found = wider.add(x);
        EXPECT_EQ(found, one.goes_on ? range.add(known) : 0.0);
        EXPECT_EQ(found > 20.0, one.goes_on);
    }
}

// Eight and more are added in vectors, fewer one by one: the same numbers.
TEST(InputRange, OfManyInputsIsThatOfEachOfThemAlone) {
    constexpr std::size_t kInputs = 19;
    InputRange together(kInputs);
    std::vector<InputRange> alone(kInputs, InputRange(1));
    NormalSource normal(5);
    std::vector<double> x(kInputs);
    for (int row = 0; row < 300; ++row) {
        double most = 0.0;
        for (std::size_t j = 0; j < kInputs; ++j) {
            x[j] = normal.next(static_cast<double>(j), 0.5);
            if (j == 3) {
                x[j] = 7.0;
            } else if (j == 5 && row == 100) {
                x[j] = std::numeric_limits<double>::max();
            } else if ((row + static_cast<int>(j)) % 11 == 0) {
                x[j] = kNaN;
            }
            most = std::max(most, alone[j].add(std::span(x).subspan(j, 1)));
        }
        ASSERT_EQ(together.add(x), most) << row;
    }
}

}  // namespace
}  // namespace sluice::tune::input_range_test
