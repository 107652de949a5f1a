#include "standard_inputs.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace sluice::test {
namespace {

using baselines::StandardInputs;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

TEST(StandardInputs, WithGainsOfOneOverNAreMeanAndDeviationOfAllRows) {
    const std::vector<double> values = {3.0, -1.0, 4.0, 1.0, -5.0, 9.0};
    StandardInputs inputs(1);
    double sum = 0.0;
    double squares = 0.0;
    for (std::size_t t = 0; t < values.size(); ++t) {
        const double n = static_cast<double>(t) + 1.0;
        inputs.add({&values[t], 1}, 1.0 / n);
        sum += values[t];
        squares += values[t] * values[t];
        const double deviation = std::sqrt((squares / n) - (sum * sum / (n * n)));
        if (t > 0) {
            EXPECT_NEAR(inputs.row()[0], (values[t] - (sum / n)) / deviation, 1e-12);
            EXPECT_NEAR(inputs.scale(0), 1.0 / deviation, 1e-12);
        }
    }
}

TEST(StandardInputs, CarryTurnsOldUnitsIntoNewOnes) {
    StandardInputs inputs(1);
    inputs.add(std::vector{1.0}, 1.0);
    inputs.add(std::vector{2.0}, 0.5);
    const double before = inputs.scale(0);
    inputs.add(std::vector{50.0}, 0.3);
    EXPECT_NEAR(inputs.carry()[0], inputs.scale(0) / before, 1e-15);
}

TEST(StandardInputs, UnitsDoNotMatter) {
    StandardInputs plain(1);
    StandardInputs tiny(1);
    StandardInputs huge(1);
    for (int t = 0; t < 50; ++t) {
        const double value = std::sin(t * 1.7) + 2.0;
        const double gain = 1.0 / (t + 1.0);
        plain.add(std::vector{value}, gain);
        tiny.add(std::vector{std::ldexp(value, -498)}, gain);
        huge.add(std::vector{std::ldexp(value, 490)}, gain);
        EXPECT_EQ(tiny.row()[0], plain.row()[0]);
        EXPECT_EQ(huge.row()[0], plain.row()[0]);
    }
}

TEST(StandardInputs, ConstantAndUnseenInputsAreZeroAndFarOnesAreBounded) {
    StandardInputs inputs(3);
    for (int t = 0; t < 200; ++t) {
        inputs.add(std::vector{0.1, nan, t % 2 == 0 ? 1.0 : -1.0}, 1.0 / (t + 1.0));
    }
    EXPECT_EQ(inputs.row()[0], 0.0);
    EXPECT_EQ(inputs.row()[1], 0.0);
    const std::vector<double> far = {7.0, 5.0, 1e9};
    EXPECT_EQ(inputs.standard(far, 0), 0.0);
    EXPECT_EQ(inputs.standard(far, 1), 0.0);
    EXPECT_EQ(inputs.standard(far, 2), StandardInputs::kMostDeviations);
    EXPECT_NEAR(inputs.standard(std::vector{nan, nan, nan}, 2), -1.0, 1e-9);  // the last value seen
}

}  // namespace
}  // namespace sluice::test
