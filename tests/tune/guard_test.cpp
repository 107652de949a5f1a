#include "guard.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "robust_constants.hpp"
#include "sluice/error.hpp"
#include "sluice/simulate.hpp"
#include "state.hpp"

namespace sluice::tune::guard_test {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
using Verdict = Guard::Verdict;
using Numbers = std::vector<double>;
using Places = std::vector<std::size_t>;

// A guard of three inputs and one output. Labels lie about 50; the prediction of the next one is always 50.
struct Guarded {
    Guard guard;
    NormalSource normal{3};
    double scale = 1.0;
    bool steady = true;
    Places selected = {1};

    explicit Guarded(std::size_t rows = 150, double unit = 1.0) : guard(3, 1), scale(unit) {
        for (std::size_t row = 0; row < rows; ++row) {  // errors of 0.5 to 1
            const double error = (row % 2 == 0 ? 1.0 : -1.0) * (0.75 + (0.25 * std::sin(static_cast<double>(row))));
            EXPECT_EQ(label(50.0 + error), Verdict::believed) << row;
        }
    }

    Verdict row(const Numbers& x, double y) {
        std::vector<double> room;
        const auto looked = guard.believed(x, room);
        const auto believed = guard.meet(x);
        EXPECT_TRUE(std::ranges::equal(looked, believed,
                                       [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }));
        const Numbers labels = {scale * y};
        const Numbers predicted = {scale * 50.0};
        const Verdict verdict = guard.judge(labels, predicted, selected, steady);
        if (verdict == Verdict::believed || verdict == Verdict::changed) {
            learnt.clear();
            for (std::size_t i = 0; i < guard.held().size(); ++i) {
                learnt.push_back(guard.to_learn(i)[0] / scale);
            }
            guard.release();
        }
        return verdict;
    }
    Verdict label(double y) { return row({normal.next(), normal.next(), normal.next()}, y); }
    [[nodiscard]] bool suspects() const { return !guard.suspect_outputs().empty(); }

    Numbers learnt = {};  // labels of the rows that were released last
};

TEST(Guard, AWrongLabelIsHeldBackAndLearntAtTheUsualDistanceFromItsPrediction) {
    for (const double wrong : {500.0, -500.0, 5e5}) {
        Guarded one;
        EXPECT_EQ(one.label(wrong), Verdict::held);
        EXPECT_TRUE(one.suspects());
        EXPECT_EQ(one.guard.held().size(), 1U);
        EXPECT_EQ(one.guard.held().y(0)[0], wrong);
        EXPECT_EQ(one.label(50.1), Verdict::believed);
        EXPECT_FALSE(one.suspects());
        ASSERT_EQ(one.learnt.size(), 1U);
        EXPECT_NEAR(one.learnt[0], 50.0 + std::copysign(0.75, wrong), 0.1);
        EXPECT_TRUE(one.guard.held().empty());
    }
}

TEST(Guard, ThreeSuspectRowsWithErrorsOfOneSizeAreAChangeAndLearntAsTheyAre) {
    Guarded one;
    EXPECT_EQ(one.label(60.0), Verdict::held);
    EXPECT_EQ(one.label(41.0), Verdict::held);
    EXPECT_EQ(one.label(62.0), Verdict::changed);
    EXPECT_EQ(one.learnt, (Numbers{60.0, 41.0, 62.0}));
    EXPECT_FALSE(one.suspects());  // it is believed
}

TEST(Guard, TheThirdSuspectRowOfTenIsAChangeTheOneAfterTenIsNot) {
    for (const std::size_t rows : {kLately, kLately + 1}) {  // from the first to the third
        Guarded one;
        EXPECT_EQ(one.label(60.0), Verdict::held);
        for (std::size_t row = 1; row + 1 < rows; ++row) {
            EXPECT_EQ(one.label(row == 4 ? 60.5 : 50.1), row == 4 ? Verdict::held : Verdict::believed);
        }
        EXPECT_EQ(one.label(61.0), rows == kLately ? Verdict::changed : Verdict::held);
    }
}

TEST(Guard, SuspectRowsWithErrorsOfDifferentSizesWaitUntilSixAreHeld) {
    Guarded one;
    Numbers labels;
    double error = 10.0;
    for (std::size_t row = 0; row < kMostHeld; ++row, error *= 10.0) {
        labels.push_back(50.0 + error);
        EXPECT_EQ(one.label(labels.back()), row + 1 < kMostHeld ? Verdict::held : Verdict::changed) << row;
    }
    ASSERT_EQ(one.learnt.size(), kMostHeld);
    for (std::size_t row = 0; row + 1 < kMostHeld; ++row) {  // only the last one agrees with itself
        EXPECT_NEAR(one.learnt[row], 50.75, 0.1);
    }
    EXPECT_EQ(one.learnt.back(), labels.back());
}

TEST(Guard, ALargeErrorNextThatIsNotSuspectConfirmsTheRowBefore) {
    Guarded large;
    EXPECT_EQ(large.label(56.0), Verdict::held);
    EXPECT_EQ(large.label(48.2), Verdict::believed);  // 6 / 1.8 < 4
    EXPECT_EQ(large.learnt, Numbers{56.0});
    Guarded small;
    EXPECT_EQ(small.label(56.0), Verdict::held);
    EXPECT_EQ(small.label(48.8), Verdict::believed);  // 6 / 1.2 > 4
    ASSERT_EQ(small.learnt.size(), 1U);
    EXPECT_NEAR(small.learnt[0], 50.75, 0.1);
}

TEST(Guard, ALabelThatRepeatsItselfWhereLabelsNeverDoIsNoEvidenceOfAChange) {
    Guarded one;
    for (std::size_t row = 0; row < kMostHeld; ++row) {
        EXPECT_EQ(one.label(90.0), row + 1 < kMostHeld ? Verdict::held : Verdict::changed) << row;
    }
    EXPECT_EQ(one.learnt, Numbers(kMostHeld, 90.0));
    Guarded ends;  // a sensor that stopped and works again
    for (std::size_t row = 0; row < 5; ++row) {
        EXPECT_EQ(ends.label(90.0), Verdict::held);
    }
    EXPECT_EQ(ends.label(50.1), Verdict::believed);
    ASSERT_EQ(ends.learnt.size(), 5U);
    for (const double label : ends.learnt) {
        EXPECT_NEAR(label, 50.75, 0.1);
    }
}

TEST(Guard, WhereLabelsRepeatThemselvesOnlyZerosAreNoEvidence) {
    for (const double label : {90.0, 0.0}) {
        Guarded one;
        for (std::size_t row = 0; row < 60; ++row) {  // each label twice
            EXPECT_EQ(one.label(row % 4 < 2 ? 50.5 : 49.5), Verdict::believed);
        }
        EXPECT_EQ(one.label(label), Verdict::held);
        EXPECT_EQ(one.label(label), Verdict::held);
        EXPECT_EQ(one.label(label), label == 0.0 ? Verdict::held : Verdict::changed);
    }
}

TEST(Guard, AnInputInUseThatIsSuspectIsNoEvidenceOfAChange) {
    for (const std::size_t input : {0UL, 1UL}) {  // 1 is in use
        Guarded one;
        for (std::size_t row = 0; row < kMostHeld; ++row) {
            Numbers x = {one.normal.next(), one.normal.next(), one.normal.next()};
            x[input] += 1e4;
            const bool last = row + 1 == (input == 1 ? kMostHeld : kAgreeing);
            ASSERT_EQ(one.row(x, 60.0 + one.normal.next(0.0, 0.1)), last ? Verdict::changed : Verdict::held) << row;
            EXPECT_TRUE(std::ranges::equal(one.guard.suspect_inputs(), Places{input}));
            if (last) {
                break;
            }
            EXPECT_TRUE(std::isnan(one.guard.held().x(row)[input]));
            EXPECT_EQ(one.guard.held().x(row)[2], x[2]);
        }
    }
}

TEST(Guard, ASuspectInputAloneDoesNotHoldARowBack) {
    Guarded one;
    EXPECT_EQ(one.row({0.1, 1e4, 0.2}, 50.1), Verdict::believed);
    EXPECT_TRUE(std::ranges::equal(one.guard.suspect_inputs(), Places{1}));
    EXPECT_FALSE(one.suspects());
}

TEST(Guard, WhereTheForecastFollowsTheLastRowsTheSecondSuspectRowOnTheSameSideIsAChange) {
    for (const bool steady : {false, true}) {
        for (const double next : {68.0, 32.0, 50.0 + (19.0 * kGoesOn)}) {
            Guarded one;
            one.steady = steady;
            EXPECT_EQ(one.label(68.5), Verdict::held);
            EXPECT_EQ(one.label(next), !steady && next == 68.0 ? Verdict::changed : Verdict::held) << next;
        }
    }
}

TEST(Guard, WhereTheForecastFollowsTheLastRowsALabelWithinItsRangeIsBelieved) {
    Guarded one;
    EXPECT_EQ(one.label(60.0), Verdict::held);
    EXPECT_EQ(one.label(61.0), Verdict::held);
    EXPECT_EQ(one.label(62.0), Verdict::changed);
    EXPECT_EQ(one.label(50.1), Verdict::believed);
    one.steady = false;
    EXPECT_EQ(one.label(61.9), Verdict::believed);
}

TEST(Guard, ARowWithoutLabelsDecidesNothing) {
    Guarded one;
    EXPECT_EQ(one.label(500.0), Verdict::held);
    for (std::size_t row = 0; row < 30; ++row) {
        EXPECT_EQ(one.label(kNaN), Verdict::unlabelled);
        EXPECT_FALSE(one.suspects());
        EXPECT_EQ(one.guard.held().size(), 1U);
    }
    EXPECT_EQ(Guarded(one).label(50.1), Verdict::believed);
    EXPECT_EQ(one.label(520.0), Verdict::held);  // rows without labels are none of the ten
    EXPECT_EQ(one.label(510.0), Verdict::changed);
}

// Labels of 49 to 51.
TEST(Guard, InTheFirstRowsOnlyALabelVeryFarOutsideOfTheOthersIsSuspect) {
    Guarded few(kFewestJudging - 1U);
    EXPECT_EQ(few.label(1e9), Verdict::believed);
    EXPECT_EQ(Guarded(kFewestJudging).label(1e9), Verdict::held);
    EXPECT_EQ(Guarded(kFewestKnown - 1U).label(1e9), Verdict::held);
    EXPECT_EQ(Guarded(kFewestKnown - 1U).label(80.0), Verdict::believed);
    EXPECT_EQ(Guarded(kFewestKnown).label(80.0), Verdict::held);
}

// Before, it was moved to the mean error from its prediction, and the mean held the error of the first row: the label itself.
TEST(Guard, WhileTheModelBeginsASuspectLabelIsMovedIntoTheRangeOfTheOthers) {
    Guard guard(1, 1);
    const Numbers x = {0.0};  // judge() looks at it too
    const auto judge = [&](double y, double predicted) {
        (void)guard.meet(x);
        return guard.judge(Numbers{y}, Numbers{predicted}, Places{}, true);
    };
    EXPECT_EQ(judge(1000.0, 0.0), Verdict::believed);  // nothing was learnt yet
    for (std::size_t row = 0; row < 10; ++row) {
        EXPECT_EQ(judge(row % 2 == 0 ? 1001.0 : 999.0, 1000.0), Verdict::believed);
    }
    EXPECT_EQ(judge(1e6, 1000.0), Verdict::held);
    EXPECT_EQ(guard.held().bounded(0)[0], 1001.0);
    EXPECT_EQ(judge(999.5, 1000.0), Verdict::believed);
    EXPECT_EQ(guard.to_learn(0)[0], 1001.0);
}

TEST(Guard, OfSeveralOutputsOnlyTheWrongLabelIsMoved) {
    Guard guard(2, 3);
    NormalSource normal(5);
    const Numbers predicted = {0.0, 10.0, 20.0};
    for (std::size_t row = 0; row < 100; ++row) {
        const Numbers x = {normal.next(), normal.next()};
        (void)guard.meet(x);
        const Numbers y = {normal.next(0.0, 0.1), normal.next(10.0, 0.1), normal.next(20.0, 0.1)};
        ASSERT_EQ(guard.judge(y, predicted, Places{0}, true), Verdict::believed);
    }
    const Numbers x = {0.5, 0.5};
    (void)guard.meet(x);
    ASSERT_EQ(guard.judge(Numbers{0.05, -100.0, kNaN}, predicted, Places{0}, true), Verdict::held);
    EXPECT_TRUE(std::ranges::equal(guard.suspect_outputs(), Places{1}));
    (void)guard.meet(x);
    ASSERT_EQ(guard.judge(Numbers{0.05, kNaN, kNaN}, predicted, Places{0}, true), Verdict::believed);
    const auto y = guard.to_learn(0);
    EXPECT_EQ(y[0], 0.05);
    EXPECT_NEAR(y[1], 9.9, 0.1);
    EXPECT_LT(y[1], 10.0);
    EXPECT_TRUE(std::isnan(y[2]));
}

TEST(Guard, TheScaleOfLabelsDoesNotMatter) {
    for (const double scale : {1e-300, 1e-150, 1e150, 1e300}) {
        Guarded one(150, scale);
        EXPECT_EQ(one.label(500.0), Verdict::held) << scale;
        EXPECT_EQ(one.label(50.1), Verdict::believed) << scale;
        EXPECT_NEAR(one.learnt.at(0), 50.75, 0.1) << scale;
        EXPECT_EQ(one.label(60.0), Verdict::held) << scale;
        EXPECT_EQ(one.label(61.0), Verdict::held) << scale;
        EXPECT_EQ(one.label(62.0), Verdict::changed) << scale;
    }
}

TEST(Guard, LabelsToLearnAreFiniteWithTheLargestNumbers) {
    constexpr double kLargest = std::numeric_limits<double>::max();
    Guard guard(1, 1);
    NormalSource normal(6);
    std::size_t held = 0;
    for (std::size_t row = 0; row < 300; ++row) {
        const Numbers x = {std::clamp(normal.next(), -1.7, 1.7) * 1e308};
        (void)guard.meet(x);
        const double side = row % 3 == 0 ? -1.0 : 1.0;
        const double y = row % 11 == 10 ? side * kLargest : normal.next() * (row < 150 ? 1.0 : 1e307);
        const Numbers predicted = {row % 7 == 6 ? -side * kLargest : 0.0};
        const Verdict verdict = guard.judge(Numbers{y}, predicted, Places{0}, row % 2 == 0);
        held += verdict == Verdict::held ? 1U : 0U;
        for (std::size_t i = 0; i < guard.held().size(); ++i) {
            ASSERT_TRUE(std::isfinite(guard.held().bounded(i)[0])) << row;
            ASSERT_TRUE(std::isfinite(guard.to_learn(i)[0])) << row;
        }
        if (verdict != Verdict::held) {
            guard.release();
        }
    }
    EXPECT_GT(held, 5U);
}

std::vector<std::byte> saved(const Guard& guard) {
    core::StateWriter out;
    guard.save(out);
    return std::move(out).unframed();
}

void load(const std::vector<std::byte>& bytes, Guard& guard) {
    auto in = core::StateReader::unframed(bytes);
    guard.load(in);
    EXPECT_EQ(in.left(), 0U);
}

TEST(Guard, GoesOnAfterBeingSavedAtAnyRow) {
    Guarded one(0);
    NormalSource normal(8);
    std::array<std::size_t, 4> met{};
    for (std::size_t row = 0; row < 400; ++row) {
        Guarded again(0);
        load(saved(one.guard), again.guard);
        EXPECT_EQ(again.guard.bytes(), one.guard.bytes());
        again.steady = one.steady = row % 200 < 150;
        Numbers x = {normal.next(), normal.next(), normal.next()};
        x[row % 3] += row % 37 == 36 ? 1e4 : 0.0;
        const bool wrong = row > 60 && (row % 23 == 0 || row % 71 < 4);
        // Ever larger: after a change its error is the largest.
        const double error = normal.next(0.0, 1.0) + (wrong ? normal.next(100.0, 50.0) * std::pow(4.0, row / 71) : 0.0);
        const double y = row % 13 == 12 ? kNaN : 50.0 + error;
        const Verdict verdict = one.row(x, y);
        ASSERT_EQ(again.row(x, y), verdict) << row;
        ASSERT_EQ(again.learnt, verdict == Verdict::believed || verdict == Verdict::changed ? one.learnt : Numbers{});
        ASSERT_EQ(saved(again.guard), saved(one.guard)) << row;
        ++met[static_cast<std::size_t>(verdict)];
    }
    for (const std::size_t count : met) {
        EXPECT_GT(count, 2U);
    }
}

template <typename T>
std::vector<std::byte> with(std::vector<std::byte> bytes, std::size_t at, T value) {
    std::memcpy(bytes.data() + at, &value, sizeof(value));
    return bytes;
}

// The last fields: rows, then the row and the size of ten suspect ones. The others are those of the parts.
TEST(Guard, AnyFieldOutOfRangeIsRefused) {
    Guarded one;
    EXPECT_EQ(one.label(60.0), Verdict::held);
    const auto good = saved(one.guard);
    Guard again(3, 1);
    EXPECT_NO_THROW(load(good, again));
    const std::size_t rows = good.size() - 8 - (kLately * 16);
    EXPECT_THROW(load(with(good, rows, std::uint64_t{3}), again), StateError);  // fewer than the suspect row's number
    for (std::size_t i = 0; i < kLately; ++i) {
        const std::size_t at = rows + 8 + (16 * i);
        EXPECT_NO_THROW(load(with(good, at, std::uint64_t{151}), again));
        EXPECT_THROW(load(with(good, at, std::uint64_t{152}), again), StateError);
        for (const double wrong : {-1.0, kNaN, HUGE_VAL}) {
            EXPECT_THROW(load(with(good, at + 8, wrong), again), StateError);
        }
    }
    for (std::size_t length = 0; length < good.size(); ++length) {
        const std::vector<std::byte> cut(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(length));
        EXPECT_THROW(load(cut, again), StateError) << length;
    }
}

}  // namespace
}  // namespace sluice::tune::guard_test
