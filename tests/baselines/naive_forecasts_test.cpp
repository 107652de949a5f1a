#include "naive_forecasts.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "sluice/error.hpp"

namespace sluice::test {
namespace {

using baselines::Method;
using baselines::RunningMean;
using baselines::SeasonalLastValue;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
const std::vector<double> x = {0.0};

// What is predicted before each of these values of one output.
std::vector<double> forecasts(Method& method, const std::vector<double>& values) {
    std::vector<double> found;
    for (const double value : values) {
        double expected = nan;
        method.predict(x, {&expected, 1});
        found.push_back(expected);
        method.learn(x, {&value, 1});
    }
    return found;
}

TEST(RunningMean, IsTheMeanOfTheKnownValues) {
    RunningMean method(1, 1);
    EXPECT_EQ(forecasts(method, {4.0, nan, 8.0, 0.0, 1.0}), (std::vector<double>{0.0, 4.0, 4.0, 6.0, 4.0}));
}

TEST(LastValue, IsTheLastKnownValue) {
    SeasonalLastValue method(1, 1, 1);
    EXPECT_EQ(forecasts(method, {nan, 4.0, nan, 8.0, 1.0}), (std::vector<double>{0.0, 0.0, 4.0, 4.0, 8.0}));
}

TEST(SeasonalLastValue, IsTheValueOneSeasonBackAndTheLastValueBeforeThat) {
    SeasonalLastValue method(1, 1, 3);
    EXPECT_EQ(forecasts(method, {1.0, 2.0, 3.0, 4.0, 5.0, 6.0}), (std::vector<double>{0.0, 1.0, 2.0, 1.0, 2.0, 3.0}));
}

TEST(SeasonalLastValue, AGapLeavesTheSeasonBeforeAndKeepsThePlace) {
    SeasonalLastValue method(1, 1, 3);
    EXPECT_EQ(forecasts(method, {1.0, nan, 3.0, nan, 5.0, 6.0, 7.0, nan, 9.0}),
              (std::vector<double>{0.0, 1.0, 1.0, 1.0, 3.0, 3.0, 1.0, 5.0, 6.0}));
}

TEST(SeasonalLastValue, OutputsAreApart) {
    SeasonalLastValue method(1, 2, 1);
    method.learn(x, std::vector{1.0, nan});
    method.learn(x, std::vector{nan, 5.0});
    std::vector<double> y(2);
    method.predict(x, y);
    EXPECT_EQ(y, (std::vector<double>{1.0, 5.0}));
}

TEST(SeasonalLastValue, ASeasonWithoutRowsIsRefused) {
    EXPECT_THROW(SeasonalLastValue(1, 1, 0), OptionError);
}

}  // namespace
}  // namespace sluice::test
