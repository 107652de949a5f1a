#include "error_curve.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace {

using sluice::compare::ErrorCurve;
using sluice::compare::kMostWindows;
using sluice::compare::RootMeanSquare;
using sluice::compare::WindowRows;

TEST(RootMeanSquare, JoinsAsTheSquaresOfAllErrors) {
    RootMeanSquare one;
    RootMeanSquare two;
    double sum = 0.0;
    for (int i = 0; i < 100; ++i) {
        const double error = std::sin(i);
        (i < 30 ? one : two).add(error);
        sum += error * error;
    }
    one.join(two);
    EXPECT_EQ(one.count, 100U);
    EXPECT_NEAR(one.value, std::sqrt(sum / 100.0), 1e-14);  // a hundred roundings of 1e-16
}

TEST(RootMeanSquare, TakesErrorsOfAnySize) {
    for (const double size : {1e-300, 1e-150, 1e150, 1e300}) {
        RootMeanSquare rms;
        rms.add(3.0 * size);
        rms.add(-4.0 * size);
        EXPECT_NEAR(rms.value / size, std::sqrt(12.5), 1e-14);
    }
}

TEST(ErrorCurve, OfALongStreamHasAFewWindowsWithEveryErrorInOneOfThem) {
    ErrorCurve curve(2);
    WindowRows rows;
    const double missing = std::numeric_limits<double>::quiet_NaN();
    constexpr std::uint64_t kRows = 10'007;
    double sum = 0.0;
    std::uint64_t scored = 0;
    for (std::uint64_t row = 1; row <= kRows; ++row) {
        const double error = std::cos(static_cast<double>(row));
        const bool counts = row > 100 && row % 3 != 0;
        curve.add(row, std::vector<double>{error, missing}, std::vector<double>{row % 3 == 0 ? missing : 0.0, 1.0},
                  row > 100);
        rows.add(row, row % 2 == 0 ? "even" : "odd");
        sum += counts ? error * error : 0.0;
        scored += counts ? 1 : 0;
    }
    ASSERT_LE(curve.windows().size(), kMostWindows);
    ASSERT_GE(curve.windows().size(), kMostWindows / 2);
    ASSERT_EQ(curve.windows().size(), rows.windows().size());
    RootMeanSquare all;
    for (const auto& window : curve.windows()) {
        all.join(window.outputs[0]);
        EXPECT_EQ(window.outputs[1].count, 0U);
    }
    EXPECT_EQ(all.count, scored);
    EXPECT_NEAR(all.value, std::sqrt(sum / static_cast<double>(scored)), 1e-12);
    std::uint64_t next = 1;
    for (const auto& window : rows.windows()) {
        EXPECT_EQ(window.first, next);
        EXPECT_EQ(window.time, window.last % 2 == 0 ? "even" : "odd");
        next = window.last + 1;
    }
    EXPECT_EQ(next, kRows + 1);
}

}  // namespace
