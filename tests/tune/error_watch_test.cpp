#include "error_watch.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "robust_constants.hpp"
#include "sluice/error.hpp"
#include "sluice/simulate.hpp"
#include "state.hpp"

namespace sluice::tune::error_watch_test {
namespace {

constexpr double kLargest = std::numeric_limits<double>::max();

// Labels alternate about `level`; errors all have one size, on both sides.
ErrorWatch taught(std::size_t rows, double level, double size, double scale = 1.0) {
    ErrorWatch watch(1);
    for (std::size_t row = 0; row < rows; ++row) {
        const double side = row % 2 == 0 ? 1.0 : -1.0;
        watch.add(0, scale * (level + side), scale * side * size);
    }
    return watch;
}

// The smallest error that is suspect, by bisection.
double bound(const ErrorWatch& watch, double label, bool steady = true) {
    double low = 0.0;
    double high = 1e6;
    EXPECT_TRUE(watch.suspect(0, label, high, steady));
    for (int step = 0; step < 80; ++step) {
        const double middle = 0.5 * (low + high);
        EXPECT_EQ(watch.suspect(0, label, middle, steady), watch.suspect(0, label, -middle, steady));
        (watch.suspect(0, label, middle, steady) ? high : low) = middle;
    }
    return high;
}

TEST(ErrorWatch, AnErrorMayBeSixTimesTheMean) {
    EXPECT_NEAR(bound(taught(200, 0.0, 0.1), 0.0), kErrorTimes * 0.1, 1e-9);
}

TEST(ErrorWatch, AnErrorMayBeTwiceTheLargest) {
    ErrorWatch watch = taught(200, 0.0, 0.1);
    watch.add(0, 0.5, -0.5);
    const double mean = 0.1 + (0.4 / static_cast<double>(kErrorRows));
    EXPECT_NEAR(watch.usual(0), mean, 1e-9);
    EXPECT_NEAR(bound(watch, 0.0), kErrorReach * 0.5, 1e-9);
    EXPECT_DOUBLE_EQ(watch.in_largest(0, -0.25), 0.5);
    for (std::size_t row = 0; row < 100; ++row) {
        watch.add(0, 0.5, 0.0);
    }
    EXPECT_NEAR(bound(watch, 0.0), kErrorReach * 0.5 * std::pow(kErrorDecay, 100.0), 1e-9);
}

TEST(ErrorWatch, AnErrorMayBeHalfOfTheLabelsDistanceFromItsLevel) {
    const ErrorWatch watch = taught(2000, 50.0, 0.1);
    EXPECT_NEAR(bound(watch, 450.0), kLabelShare * 400.0, 0.01);
    EXPECT_NEAR(bound(watch, -350.0), kLabelShare * 400.0, 0.01);
    EXPECT_NEAR(bound(watch, 50.0), kErrorTimes * 0.1, 1e-9);
}

TEST(ErrorWatch, NothingIsSuspectBeforeEnoughLabels) {
    EXPECT_FALSE(taught(kFewestKnown - 1U, 0.0, 0.1).suspect(0, 0.0, 1e9, true));
    EXPECT_TRUE(taught(kFewestKnown, 0.0, 0.1).suspect(0, 0.0, 1e9, true));
}

// Labels within [-1, 1], whatever the errors: those of a model that has just begun say little.
TEST(ErrorWatch, OfTheFirstLabelsThoseVeryFarOutsideOfTheOthersAreSuspect) {
    const auto suspect = [](std::size_t rows, double label) {
        return taught(rows, 0.0, 1e9).suspect(0, label, 1.0, false);
    };
    EXPECT_FALSE(suspect(kFewestJudging - 1U, 1e6));
    for (const std::size_t rows : {std::size_t{kFewestJudging}, kFewestKnown - std::size_t{1}}) {
        EXPECT_FALSE(suspect(rows, 1.0 + (2.0 * kFarthest) - 0.1)) << rows;
        EXPECT_TRUE(suspect(rows, 1.0 + (2.0 * kFarthest) + 0.1)) << rows;
        EXPECT_TRUE(suspect(rows, -1.0 - (2.0 * kFarthest) - 0.1)) << rows;
    }
    for (const std::size_t rows : {std::size_t{kFewestKnown}, kErrorRows - std::size_t{1}}) {
        EXPECT_FALSE(suspect(rows, 1.0 + (2.0 * kFirstReach) - 0.1)) << rows;
        EXPECT_TRUE(suspect(rows, 1.0 + (2.0 * kFirstReach) + 0.1)) << rows;
    }
    EXPECT_FALSE(suspect(kErrorRows, 1e6));
}

TEST(ErrorWatch, ASuspectLabelIsMovedByTheMeanErrorOrTheLargestWhereThatIsLess) {
    const ErrorWatch settled = taught(200, 0.0, 0.1);
    EXPECT_NEAR(settled.bounded(0, 5.0, 7.0), 5.1, 1e-12);
    EXPECT_NEAR(settled.bounded(0, 5.0, -7.0), 4.9, 1e-12);
    ErrorWatch began(1);
    for (std::size_t row = 0; row < kErrorRows; ++row) {
        began.add(0, row % 2 == 0 ? 1.0 : -1.0, row == 0 ? 1000.0 : 0.1);
    }
    EXPECT_GT(began.usual(0), 10.0);
    EXPECT_NEAR(began.bounded(0, 0.5, 7.0), 0.6, 1e-12);
    EXPECT_EQ(taught(30, 0.0, 0.1).bounded(0, 5.0, 7.0), 1.0);  // within the range while the model begins
}

TEST(ErrorWatch, PredictionsWithoutErrorsMakeNothingSuspect) {
    const ErrorWatch watch = taught(200, 0.0, 0.0);
    EXPECT_FALSE(watch.suspect(0, 0.0, 1e9, true));
    EXPECT_EQ(watch.in_largest(0, 1e9), 0.0);
}

TEST(ErrorWatch, TheErrorsOfAModelThatHasJustBegunAreForgotten) {
    ErrorWatch watch(1);
    for (std::size_t row = 0; row < kErrorRows; ++row) {
        EXPECT_EQ(watch.suspect(0, 0.0, 20.0, true), false) << row;
        watch.add(0, row % 2 == 0 ? 1.0 : -1.0, row < kErrorRows / 2 ? 10.0 : 0.1);
    }
    EXPECT_DOUBLE_EQ(watch.in_largest(0, 0.1), 1.0);
}

// A forecast that follows the last rows: a label within its range, widened by a quarter on each side, is believed.
TEST(ErrorWatch, WhereTheForecastIsNotSteadyOnlyLabelsOutsideOfTheirRangeAreSuspect) {
    const ErrorWatch watch = taught(200, 0.0, 0.1);  // range [-1, 1]
    const double edge = 1.0 + (kLabelOutside * 2.0);
    for (const double side : {-1.0, 1.0}) {
        EXPECT_FALSE(watch.suspect(0, side * (edge - 0.01), 100.0, false));
        EXPECT_TRUE(watch.suspect(0, side * (edge - 0.01), 100.0, true));
        EXPECT_TRUE(watch.suspect(0, side * (edge + 0.01), 100.0, false));
        EXPECT_FALSE(watch.suspect(0, side * (edge + 0.01), 0.1, false));
    }
}

TEST(ErrorWatch, SaysWhetherLabelsRepeatThemselves) {
    ErrorWatch watch(1);
    for (std::size_t row = 0; row < kLabelsUnlike; ++row) {
        EXPECT_FALSE(watch.never_repeats(0));
        watch.add(0, static_cast<double>(row), 0.1);
    }
    EXPECT_TRUE(watch.never_repeats(0));
    watch.add(0, static_cast<double>(kLabelsUnlike - 1), 0.1);
    EXPECT_FALSE(watch.never_repeats(0));
}

TEST(ErrorWatch, OutputsAreWatchedOneByOne) {
    ErrorWatch watch(2);
    for (std::size_t row = 0; row < 60; ++row) {
        watch.add(0, row % 2 == 0 ? 1.0 : -1.0, 0.1);
        watch.add(1, row % 2 == 0 ? 1e6 : -1e6, 1e5);
    }
    EXPECT_TRUE(watch.suspect(0, 0.0, 1e3, true));
    EXPECT_FALSE(watch.suspect(1, 0.0, 1e3, true));
}

TEST(ErrorWatch, TheScaleDoesNotMatter) {
    for (const double scale : {1e-300, 1e-150, 1.0, 1e150, 1e300}) {
        const ErrorWatch watch = taught(60, 0.0, 0.1, scale);
        EXPECT_FALSE(watch.suspect(0, 0.0, scale * 0.59, true)) << scale;
        EXPECT_TRUE(watch.suspect(0, 0.0, scale * 0.61, true)) << scale;
        EXPECT_NEAR(watch.in_largest(0, scale * 0.5), 5.0, 1e-9) << scale;
    }
}

TEST(ErrorWatch, TheLargestNumbersAreNoTrouble) {
    ErrorWatch watch = taught(60, 0.0, 1e-300);
    EXPECT_TRUE(watch.suspect(0, 0.0, HUGE_VAL, true));  // the difference of a label and its prediction may be infinite
    EXPECT_TRUE(std::isfinite(watch.in_largest(0, HUGE_VAL)));
    EXPECT_TRUE(std::isfinite(watch.in_largest(0, kLargest)));
    for (std::size_t row = 0; row < 200; ++row) {
        watch.add(0, row % 2 == 0 ? kLargest : -kLargest, row % 3 == 0 ? HUGE_VAL : -kLargest);
        ASSERT_TRUE(std::isfinite(watch.usual(0)));
        ASSERT_FALSE(watch.suspect(0, kLargest, 1.0, false));
    }
}

std::vector<std::byte> saved(const ErrorWatch& watch) {
    core::StateWriter out;
    watch.save(out);
    return std::move(out).unframed();
}

void load(const std::vector<std::byte>& bytes, ErrorWatch& watch) {
    auto in = core::StateReader::unframed(bytes);
    watch.load(in);
    EXPECT_EQ(in.left(), 0U);
}

TEST(ErrorWatch, GoesOnAfterBeingSavedAtAnyRow) {
    ErrorWatch watch(2);
    NormalSource normal(9);
    for (std::size_t row = 0; row < 150; ++row) {
        ErrorWatch again(2);
        load(saved(watch), again);
        for (std::size_t k = 0; k < 2; ++k) {
            const double label = normal.next(3.0, 1.0);
            const double error = normal.next();
            ASSERT_EQ(again.suspect(k, label, 5.0 * error, true), watch.suspect(k, label, 5.0 * error, true));
            ASSERT_EQ(again.in_largest(k, error), watch.in_largest(k, error));
            again.add(k, label, error);
            watch.add(k, label, error);
        }
        ASSERT_EQ(saved(again), saved(watch)) << row;
    }
}

template <typename T>
std::vector<std::byte> with(std::vector<std::byte> bytes, std::size_t at, T value) {
    std::memcpy(bytes.data() + at, &value, sizeof(value));
    return bytes;
}

// Of one output: level, low, high, mean, largest, settled, last, known, unlike.
TEST(ErrorWatch, AnyFieldOutOfRangeIsRefused) {
    const auto good = saved(taught(200, 3.0, 0.1));
    ASSERT_EQ(good.size(), 72U);
    ErrorWatch again(1);
    EXPECT_NO_THROW(load(good, again));
    for (std::size_t at = 0; at < 56; at += 8) {
        for (const double wrong : {std::nan(""), HUGE_VAL, -HUGE_VAL, kLargest / 8.0, -kLargest / 8.0}) {
            EXPECT_THROW(load(with(good, at, wrong), again), StateError) << at << " " << wrong;
        }
    }
    EXPECT_THROW(load(with(good, 8, 5.0), again), StateError);   // low above high
    EXPECT_THROW(load(with(good, 16, 1.0), again), StateError);  // high below low
    for (const std::size_t at : {24UL, 32UL, 40UL}) {            // sizes of errors
        EXPECT_NO_THROW(load(with(good, at, 0.0), again)) << at;
        EXPECT_THROW(load(with(good, at, -1e-300), again), StateError) << at;
    }
    EXPECT_NO_THROW(load(with(good, 64, std::uint64_t{kLabelsUnlike}), again));
    EXPECT_THROW(load(with(good, 56, kErrorRows + 1), again), StateError);
    EXPECT_THROW(load(with(good, 64, std::uint64_t{kLabelsUnlike} + 1), again), StateError);
    for (std::size_t length = 0; length < good.size(); ++length) {
        const std::vector<std::byte> cut(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(length));
        EXPECT_THROW(load(cut, again), StateError) << length;
    }
}

}  // namespace
}  // namespace sluice::tune::error_watch_test
