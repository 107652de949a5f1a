#include "error_track.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "sluice/simulate.hpp"

namespace sluice::tune {
namespace {

constexpr double kDiscount = 0.97;

// The recursion of track.hpp, written out for one speed.
struct Slow {
    double speed;
    double b = 0.0;
    double w = 0.0;
    double E = 0.0;

    void add(double e) {
        E = (kDiscount * E) + ((e - b) * (e - b));
        if (speed < 1.0) {  // 1: off
            w = (speed * w) + 1.0;
            b += (e - b) / w;
        }
    }
};

TEST(ErrorTrack, FollowsItsRecursionAtTheSpeedOfLeastError) {
    std::vector<Slow> speeds;
    for (const double g : {1.0, 0.98, 0.9, 0.7, 0.5, 0.25, 0.0}) {
        speeds.push_back({.speed = g});
    }
    NormalSource normal(1);
    ErrorTrack track(1, true);
    double level = 0.0;
    std::vector<int> wins(speeds.size(), 0);
    for (int row = 0; row < 3000; ++row) {
        // Noise about zero, then a level that wanders slowly, then fast.
        level += row < 1000 ? 0.0 : normal.next(0.0, row < 2000 ? 0.1 : 5.0);
        const double observed = level + normal.next();
        track.add(0, observed + 2.0, 2.0);
        std::size_t best = 0;
        for (std::size_t i = 0; i < speeds.size(); ++i) {
            speeds[i].add((observed + 2.0) - 2.0);
            best = speeds[i].E < speeds[best].E ? i : best;
        }
        best = speeds[best].E < 0.9 * speeds[0].E ? best : 0;  // off, unless another is clearly better
        ++wins[best];
        ASSERT_DOUBLE_EQ(track.error(0), speeds[best].E) << "row " << row;
        ASSERT_DOUBLE_EQ(track.drift(0), speeds[best].b) << "row " << row;
    }
    EXPECT_GT(wins.front(), 300);  // noise alone: off
    EXPECT_GT(wins.back(), 300);   // a fast walk: the last error
}

TEST(ErrorTrack, WithoutDriftAddsNothing) {
    ErrorTrack track(2, false);
    for (int row = 0; row < 50; ++row) {
        track.add(1, 10.0, 0.0);
    }
    EXPECT_EQ(track.drift(1), 0.0);
    EXPECT_GT(track.error(1), 3000.0 * (1.0 - std::pow(kDiscount, 50)));
    EXPECT_EQ(track.error(0), 0.0);
}

TEST(ErrorTrack, LossIsTheSumOverOutputsThatVary) {
    ErrorTrack track(3, false);
    track.add(0, 2.0, 0.0);
    track.add(1, 3.0, 0.0);
    track.add(2, 5.0, 0.0);
    EXPECT_DOUBLE_EQ(track.loss(std::vector<double>{2.0, 0.0, 5.0}), 2.0 + 5.0);
    track.multiply_errors(0.5);
    EXPECT_DOUBLE_EQ(track.loss(std::vector<double>{2.0, 0.0, 5.0}), 3.5);
}

TEST(ErrorTrack, HugeNumbersStayFinite) {
    constexpr double kMost = std::numeric_limits<double>::max();
    ErrorTrack track(1, true);
    for (int row = 0; row < 2000; ++row) {
        track.add(0, row % 2 == 0 ? kMost : -kMost, row % 3 == 0 ? -kMost : kMost);
        track.multiply_errors(row % 5 == 0 ? 1e300 : 1.0);
        ASSERT_TRUE(std::isfinite(track.error(0)) && std::isfinite(track.drift(0))) << "row " << row;
        ASSERT_TRUE(std::isfinite(track.loss(std::vector<double>{1e-300})));
    }
}

}  // namespace
}  // namespace sluice::tune
