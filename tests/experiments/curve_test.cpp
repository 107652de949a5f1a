#include "experiments/common/curve.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace sluice::experiments::curve_test {
namespace {

TEST(Curve, IsMeanAndDeviationOverTheRunsAtEachRow) {
    const std::vector<std::vector<double>> runs = {{1.0, 0.0}, {2.0, 0.0}, {6.0, 0.0}};
    const Curve curve = curve_of(runs);
    EXPECT_DOUBLE_EQ(curve.mean_at(1), 3.0);
    EXPECT_DOUBLE_EQ(curve.sd_at(1), std::sqrt((4.0 + 1.0 + 9.0) / 2.0));
    EXPECT_EQ(curve.sd_at(2), 0.0);
}

TEST(Curve, OfOneRunHasNoDeviation) {
    const std::vector<std::vector<double>> runs = {{0.25, 0.5}};
    EXPECT_EQ(curve_of(runs).sd, (std::vector<double>{0.0, 0.0}));
}

TEST(Curve, FindsTheRowAtWhichALevelIsReached) {
    const Curve curve{.mean = {0.9, 0.1, 0.5, 0.8, 0.9}, .sd = {}};
    EXPECT_EQ(first_row_at(curve, 0.8, 2, 5), 4U);
    EXPECT_EQ(first_row_at(curve, 0.8, 2, 3), std::nullopt);
    EXPECT_DOUBLE_EQ(average(curve.mean, 2, 3), 0.3);
    EXPECT_DOUBLE_EQ(largest(curve.mean, 2, 4), 0.8);
}

}  // namespace
}  // namespace sluice::experiments::curve_test
