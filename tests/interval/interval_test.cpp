#include "sluice/interval.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "sluice/error.hpp"
#include "sluice/saved_kind.hpp"
#include "sluice/simulate.hpp"

namespace sluice::interval_test {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::size_t kWindow = 500;
const std::vector<double> kCoverages = {0.5, 0.6, 0.8, 0.9, 0.95, 0.99};

using Error = std::function<double(std::size_t row, NormalSource& normal)>;

struct Shares {
    double coverage = 0.0;
    double window_low = 1.0;  // of the windows of 500 rows
    double window_high = 0.0;
    double mean_width = 0.0;
};

// Errors around a prediction of 0; an outcome is added a number of rows late.
Shares run(double coverage, const Error& error, std::size_t rows = 3000, std::uint64_t seed = 1, std::size_t late = 0) {
    IntervalTracker tracker(1, {.coverage = coverage});
    NormalSource normal(seed);
    std::deque<IntervalOutcome> pending;
    std::vector<int> inside;
    Shares result;
    for (std::size_t t = 0; t < rows; ++t) {
        const double y = error(t, normal);
        const auto given = tracker.interval(0, 0.0);
        if (given) {
            inside.push_back(given->contains(y) ? 1 : 0);
            result.mean_width += given->high - given->low;
        }
        pending.push_back({.predicted = 0.0, .observed = y, .given = given, .rows_late = late});
        if (pending.size() > late) {
            tracker.add(0, pending.front());
            pending.pop_front();
        }
    }
    int all = 0;
    int now = 0;
    for (std::size_t t = 0; t < inside.size(); ++t) {
        all += inside[t];
        now += inside[t] - (t >= kWindow ? inside[t - kWindow] : 0);
        if (t + 1 >= kWindow) {
            const double share = static_cast<double>(now) / static_cast<double>(kWindow);
            result.window_low = std::min(result.window_low, share);
            result.window_high = std::max(result.window_high, share);
        }
    }
    result.coverage = static_cast<double>(all) / static_cast<double>(inside.size());
    result.mean_width /= static_cast<double>(inside.size());
    return result;
}

double plain(std::size_t /*row*/, NormalSource& normal) {
    return normal.next();
}

// Student's t with 3 degrees of freedom.
double heavy(std::size_t /*row*/, NormalSource& normal) {
    const double z = normal.next();
    double squares = 0.0;
    for (int k = 0; k < 3; ++k) {
        const double next = normal.next();
        squares += next * next;
    }
    return z / std::sqrt(squares / 3.0);
}

// Every 400 rows errors are ten times as large, and shrink back within about 60.
double breaking(std::size_t row, NormalSource& normal) {
    return normal.next() * (1.0 + (9.0 * std::exp(-static_cast<double>(row % 400) / 20.0)));
}

// Errors keep their sign for a while and have a level: far from independent.
double sticky(std::size_t row, NormalSource& normal) {
    return (2.0 * std::sin(static_cast<double>(row) / 30.0)) + normal.next(0.0, 0.3);
}

TEST(IntervalTracker, TheShareInsideIsWhatWasAskedWithinABoundThatIndependentMissesWouldBreak) {
    for (const double coverage : kCoverages) {
        for (const Error& error : {Error(plain), Error(heavy), Error(breaking), Error(sticky)}) {
            for (std::uint64_t seed = 1; seed <= 5; ++seed) {
                const Shares result = run(coverage, error, 3000, seed);
                EXPECT_NEAR(result.coverage, coverage, 0.005) << coverage << " seed " << seed;
                EXPECT_GE(result.window_low, coverage - 0.03) << coverage << " seed " << seed;
                EXPECT_LE(result.window_high, coverage + 0.03) << coverage << " seed " << seed;
            }
        }
    }
}

// What that costs: the width beside that of the interval of the true distribution, which has the same share inside.
TEST(IntervalTracker, IsAtMostASixthWiderThanTheTrueIntervalOfIndependentNormalErrors) {
    for (const auto& [coverage, half] : {std::pair(0.5, 0.6745), {0.8, 1.2816}, {0.9, 1.6449}, {0.95, 1.96}}) {
        const double over = run(coverage, plain, 20'000).mean_width / (2.0 * half);
        EXPECT_GE(over, 1.0) << coverage;
        EXPECT_LE(over, 7.0 / 6.0) << coverage;
    }
    EXPECT_LE(run(0.99, plain, 20'000).mean_width / (2.0 * 2.5758), 1.25);
}

TEST(IntervalTracker, ThereIsNoIntervalBeforeTenErrorsAreKnown) {
    IntervalTracker tracker(2, {.coverage = 0.9});
    for (int row = 0; row < 10; ++row) {
        EXPECT_EQ(tracker.interval(0, 1.0), std::nullopt);
        tracker.add(0, {.predicted = 1.0, .observed = 1.5});
    }
    const auto interval = tracker.interval(0, 1.0);
    ASSERT_TRUE(interval.has_value());
    EXPECT_LT(interval->low, 1.0);
    EXPECT_GT(interval->high, 1.0);
    EXPECT_EQ(tracker.errors(0), 10U);
    EXPECT_EQ(tracker.interval(1, 1.0), std::nullopt);  // each output by itself
    EXPECT_EQ(tracker.interval(0, kNaN), std::nullopt);
    EXPECT_EQ(tracker.interval(0, kInfinity), std::nullopt);
}

TEST(IntervalTracker, AMissingOutputChangesNothing) {
    IntervalTracker tracker(1, {.coverage = 0.9});
    NormalSource normal(1);
    for (int row = 0; row < 50; ++row) {
        tracker.add(0, {.predicted = 0.0, .observed = normal.next(), .given = tracker.interval(0, 0.0)});
        const auto before = tracker.save();
        tracker.add(0, {.predicted = 0.0, .observed = kNaN, .given = tracker.interval(0, 0.0)});
        tracker.add(0, {.predicted = kNaN, .observed = 1.0});
        ASSERT_EQ(tracker.save(), before);
    }
}

TEST(IntervalTracker, OneWrongLabelWidensTheNextIntervalByAFactorThatDoesNotDependOnTheLabel) {
    for (const double coverage : kCoverages) {
        std::vector<double> after;
        for (const double wrong : {1e3, 1e4, 1e150}) {
            IntervalTracker tracker(1, {.coverage = coverage});
            NormalSource normal(3);
            const auto width = [&] { return tracker.interval(0, 0.0)->high - tracker.interval(0, 0.0)->low; };
            for (int row = 0; row < 400; ++row) {
                tracker.add(0, {.predicted = 0.0, .observed = normal.next()});
            }
            const double before = width();
            tracker.add(0, {.predicted = 0.0, .observed = wrong, .given = tracker.interval(0, 0.0)});
            after.push_back(width() / before);
            for (int row = 0; row < 100; ++row) {
                tracker.add(0, {.predicted = 0.0, .observed = normal.next(), .given = tracker.interval(0, 0.0)});
            }
            EXPECT_LT(width() / before, 2.0) << coverage;
        }
        EXPECT_LT(after[0], 2.7);  // exp(0.4), and sizes that grow by at most 1.8
        EXPECT_EQ(after[0], after[1]);
        EXPECT_EQ(after[0], after[2]);
    }
}

TEST(IntervalTracker, UnitsDoNotMatter) {
    for (const int exponent : {-498, 498}) {  // 1e-150 and 1e150
        IntervalTracker one(1, {.coverage = 0.8});
        IntervalTracker other(1, {.coverage = 0.8});
        NormalSource normal(1);
        for (int row = 0; row < 300; ++row) {
            const double y = normal.next(5.0, 2.0);
            const auto a = one.interval(0, 5.0);
            const auto b = other.interval(0, std::ldexp(5.0, exponent));
            ASSERT_EQ(a.has_value(), b.has_value());
            if (a) {
                ASSERT_EQ(std::ldexp(a->low, exponent), b->low);
                ASSERT_EQ(std::ldexp(a->high, exponent), b->high);
            }
            one.add(0, {.predicted = 5.0, .observed = y, .given = a});
            other.add(0, {.predicted = std::ldexp(5.0, exponent), .observed = std::ldexp(y, exponent), .given = b});
        }
    }
}

TEST(IntervalTracker, EveryIntervalIsFiniteAndContainsItsPredictionWhateverTheErrors) {
    const std::vector<double> values = {0.0,    1.0,     -1.0,     1e-308,    5e-324, 1e150,
                                        -1e150, 1.7e308, -1.7e308, kInfinity, kNaN};
    for (const double coverage : {0.1, 0.5, 0.9, 0.999}) {
        IntervalTracker tracker(1, {.coverage = coverage});
        NormalSource normal(7);
        for (int row = 0; row < 20'000; ++row) {
            const auto pick = [&] {
                const double where = std::abs(normal.next()) * 4.0;
                return values[std::min(static_cast<std::size_t>(where), values.size() - 1)];
            };
            // Long stretches of one kind, so that everything that can run away does.
            const double predicted = (row / 1000) % 3 == 0 ? pick() : 0.0;
            const double y = (row / 500) % 2 == 0 ? pick() : (row / 2000) % 2 == 0 ? 0.0 : 1e300;
            const auto given = tracker.interval(0, predicted);
            if (given) {
                ASSERT_TRUE(std::isfinite(given->low) && std::isfinite(given->high)) << row;
                ASSERT_TRUE(given->contains(predicted)) << row;
            }
            tracker.add(0, {.predicted = predicted, .observed = y, .given = given});
            ASSERT_EQ(IntervalTracker::load(tracker.save()).save(), tracker.save()) << row;
        }
    }
}

TEST(IntervalTracker, ErrorsThatReturnAfterExactPredictionsAreContainedAgainWithinFiftyRows) {
    for (const double coverage : {0.5, 0.9, 0.99}) {
        for (const int silent : {50, 2000}) {
            IntervalTracker tracker(1, {.coverage = coverage});
            NormalSource normal(2);
            const auto next = [&](double y) {
                const auto given = tracker.interval(0, 0.0);
                tracker.add(0, {.predicted = 0.0, .observed = y, .given = given});
                return given && given->contains(y);
            };
            for (int row = 0; row < silent; ++row) {
                EXPECT_EQ(next(0.0), row >= 10);  // of width 0: no error is known
            }
            int missed = 0;
            for (int row = 0; row < 50; ++row) {
                missed += next(normal.next(0.0, 3.0)) ? 0 : 1;
            }
            int inside = 0;
            for (int row = 0; row < 200; ++row) {
                inside += next(normal.next(0.0, 3.0)) ? 1 : 0;
            }
            EXPECT_LT(missed, 50) << coverage << " after " << silent;
            EXPECT_NEAR(inside / 200.0, coverage, 0.1) << coverage << " after " << silent;
        }
    }
}

TEST(IntervalTracker, ALateOutputIsScoredByTheIntervalThatWasGivenWithIt) {
    IntervalTracker tracker(1, {.coverage = 0.9});
    NormalSource normal(1);
    for (int row = 0; row < 100; ++row) {
        tracker.add(0, {.predicted = 0.0, .observed = normal.next()});
    }
    IntervalTracker hit = tracker;
    IntervalTracker miss = tracker;
    hit.add(0, {.predicted = 0.0, .observed = 1.0, .given = Interval{.low = -1.0, .high = 1.0}});
    miss.add(0, {.predicted = 0.0, .observed = 1.0, .given = Interval{.low = -0.9, .high = 0.9}});
    EXPECT_NEAR(miss.interval(0, 0.0)->high / hit.interval(0, 0.0)->high, std::exp(0.4 / 0.9), 1e-9);
    IntervalTracker late = tracker;
    late.add(0, {.predicted = 0.0, .observed = 1.0, .given = Interval{.low = -0.9, .high = 0.9}, .rows_late = 10});
    EXPECT_LT(late.interval(0, 0.0)->high, miss.interval(0, 0.0)->high);  // what comes late moves less
}

TEST(IntervalTracker, OutputsThatAreLateKeepTheShareInsideAndDoNotMakeTheWidthSwing) {
    for (const double coverage : {0.5, 0.9, 0.99}) {
        for (const std::size_t late : {1U, 5U, 20U, 100U}) {
            const Shares result = run(coverage, plain, 10'000, 1, late);
            EXPECT_NEAR(result.coverage, coverage, 0.01) << coverage << " late by " << late;
            EXPECT_LE(result.mean_width / run(coverage, plain, 10'000).mean_width, 1.15) << coverage << " " << late;
        }
    }
}

TEST(IntervalTracker, ContinuesBitForBitAfterItWasSavedAndEveryFlippedBitIsRefused) {
    NormalSource normal(4);
    IntervalTracker tracker(3, {.coverage = 0.95});
    for (int row = 0; row < 120; ++row) {
        const auto bytes = tracker.save();
        EXPECT_EQ(saved_kind(bytes), SavedKind::interval_state);
        tracker = IntervalTracker::load(bytes);
        ASSERT_EQ(tracker.save(), bytes);
        EXPECT_EQ(tracker.coverage(), 0.95);
        EXPECT_EQ(tracker.outputs(), 3U);
        for (std::size_t j = 0; j < 3; ++j) {
            tracker.add(j, {.predicted = 0.0, .observed = normal.next(), .given = tracker.interval(j, 0.0)});
        }
    }
    auto bytes = tracker.save();
    for (std::size_t at = 0; at < bytes.size(); ++at) {
        for (unsigned bit = 0; bit < 8; ++bit) {
            bytes[at] ^= std::byte{1} << bit;
            EXPECT_THROW((void)IntervalTracker::load(bytes), StateError) << at;
            bytes[at] ^= std::byte{1} << bit;
        }
        EXPECT_THROW((void)IntervalTracker::load(std::span(bytes).first(at)), StateError) << at;
    }
}

TEST(IntervalOptions, CoverageMayBeFromATenthToThousandthBelowOne) {
    for (const double good : {0.1, 0.5, 0.999}) {
        EXPECT_TRUE(IntervalOptions{.coverage = good}.problems().empty());
        EXPECT_NO_THROW(IntervalTracker(1, {.coverage = good}));
    }
    for (const double bad : {0.0, 0.0999, 0.9991, 1.0, 90.0, -0.5, kNaN, kInfinity}) {
        EXPECT_EQ(IntervalOptions{.coverage = bad}.problems().size(), 1U) << bad;
        EXPECT_THROW(IntervalTracker(1, {.coverage = bad}), OptionError) << bad;
    }
    EXPECT_THROW(IntervalTracker(0, {}), OptionError);
}

}  // namespace
}  // namespace sluice::interval_test
