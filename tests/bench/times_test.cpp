// The summary of times, the caches that hold an array, and the goals of the suite.
#include "times.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "caches.hpp"
#include "step_cost.hpp"

namespace sluice::bench::times_test {

TEST(Times, OneSlowRowInAHundredIsInTheMeanAndTheTailButNotInTheMedian) {
    std::vector<double> times(1000, 2.0);
    std::fill_n(times.begin(), 15, 100.0);
    const Times all = summary(times);
    EXPECT_DOUBLE_EQ(all.median, 2.0);
    EXPECT_DOUBLE_EQ(all.mean, (985 * 2.0 + 15 * 100.0) / 1000);
    EXPECT_DOUBLE_EQ(all.p99, 100.0);
    EXPECT_DOUBLE_EQ(all.tail(), 50.0);
    EXPECT_EQ(all.rows, 1000U);
}

TEST(Times, PercentilesAreTheRowsBelowWhichThatShareLies) {
    std::vector<double> times(10'000);
    std::iota(times.begin(), times.end(), 1.0);
    const Times all = summary(times);
    EXPECT_DOUBLE_EQ(all.p99, 9901.0);
    EXPECT_DOUBLE_EQ(all.p999, 9991.0);
    EXPECT_DOUBLE_EQ(all.most, 10'000.0);
}

TEST(Times, OfNoRowsAreZero) {
    EXPECT_EQ(summary({}).rows, 0U);
    EXPECT_EQ(summary({}).mean, 0.0);
}

TEST(Caches, TheSmallestThatIsLargeEnoughHoldsAnArray) {
    const Caches caches{.L1 = 32 << 10, .L2 = 1 << 20, .L3 = 32 << 20};
    EXPECT_EQ(caches.holding(1000), "L1");
    EXPECT_EQ(caches.holding(std::size_t{32} << 10), "L1");
    EXPECT_EQ(caches.holding((std::size_t{32} << 10) + 1), "L2");
    EXPECT_EQ(caches.holding(std::size_t{8} << 20), "L3");
    EXPECT_EQ(caches.holding(std::size_t{33} << 20), "memory");
    EXPECT_EQ(Caches{}.holding(1), "?");
}

TEST(Suite, EachGoalThatIsMissedIsNamed) {
    const NamedCase one{.what = {}, .least_ratio = 40.0, .most_tail = 3.0, .most_floors = 0.0};
    StepCost cost;
    cost.ours = {.mean = 25.0, .median = 20.0, .p99 = 50.0};
    cost.plain = Times{.mean = 1100.0};
    cost.ratio = 44.0;
    EXPECT_TRUE(one.missed(cost).empty());
    cost.ratio = 39.0;
    EXPECT_EQ(one.missed(cost).size(), 1U);
    cost.ours.p99 = 61.0;
    EXPECT_EQ(one.missed(cost).size(), 2U);
}

}  // namespace sluice::bench::times_test
