#include "sluice/score.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "sluice/simulate.hpp"

namespace sluice::score_test {
namespace {

struct Pair {
    double observed;
    double predicted;
};

std::vector<Pair> pairs(std::size_t rows) {
    NormalSource noise(7);
    std::vector<Pair> all(rows);
    for (Pair& one : all) {
        one.predicted = noise.next(3.0, 1.0);
        one.observed = one.predicted + noise.next(0.0, 0.5);
    }
    all[rows / 2].observed = std::numeric_limits<double>::quiet_NaN();
    return all;
}

TEST(Score, IsWhatTheDefinitionsSay) {
    Score score;
    long double count = 0.0L;
    long double sum = 0.0L;
    long double error = 0.0L;
    const std::vector<Pair> all = pairs(200);
    for (const auto& [observed, predicted] : all) {
        score.add(observed, predicted);
        if (!std::isnan(observed)) {
            count += 1.0L;
            sum += static_cast<long double>(observed);
            const auto off = static_cast<long double>(observed - predicted);
            error += off * off;
        }
    }
    long double spread = 0.0L;
    for (const Pair& one : all) {
        const long double deviation = static_cast<long double>(one.observed) - (sum / count);
        spread += std::isnan(one.observed) ? 0.0L : deviation * deviation;
    }
    constexpr double kRounding = 1e-13;  // of 200 additions
    EXPECT_EQ(score.count(), 199U);
    EXPECT_NEAR(score.rmse(), static_cast<double>(std::sqrt(error / count)), kRounding);
    EXPECT_NEAR(score.deviation(), static_cast<double>(std::sqrt(spread / count)), kRounding);
    EXPECT_NEAR(score.error_over_variance(), static_cast<double>(error / spread), kRounding);
    EXPECT_EQ(score.sums().exponent, 0) << "ordinary values are counted in their own unit";
}

TEST(Score, AnotherUnitChangesNoDigit) {
    const std::vector<Pair> all = pairs(200);
    Score plain;
    for (const auto& [observed, predicted] : all) {
        plain.add(observed, predicted);
    }
    for (const int exponent : {-990, -500, -100, 100, 500, 990}) {  // 2^500 is about 3e150
        Score score;
        for (const auto& [observed, predicted] : all) {
            score.add(std::ldexp(observed, exponent), std::ldexp(predicted, exponent));
        }
        EXPECT_EQ(score.error_over_variance(), plain.error_over_variance()) << exponent;
        EXPECT_EQ(score.rmse(), std::ldexp(plain.rmse(), exponent)) << exponent;
        EXPECT_EQ(score.deviation(), std::ldexp(plain.deviation(), exponent)) << exponent;
    }
}

// A prediction far beyond the values, whose square is too large a number.
TEST(Score, AValueFarBeyondTheOthersIsCounted) {
    Score score;
    for (const double value : {0.0, 1.0, 2.0, 3.0}) {
        score.add(value, 1.0);
    }
    score.add(4.0, 1e200);
    EXPECT_EQ(score.count(), 5U);
    EXPECT_DOUBLE_EQ(score.rmse(), 1e200 / std::sqrt(5.0));
    EXPECT_TRUE(std::isfinite(score.sums().error));
}

TEST(Score, OneRowAndConstantValuesHaveAnErrorAndNoVariance) {
    Score score;
    EXPECT_TRUE(std::isnan(score.rmse()));
    score.add(std::numeric_limits<double>::quiet_NaN(), 1.0);
    EXPECT_TRUE(std::isnan(score.rmse()));
    for (int row = 0; row < 5; ++row) {
        score.add(2.0, 5.0);
        EXPECT_EQ(score.rmse(), 3.0);
        EXPECT_EQ(score.deviation(), 0.0);
        EXPECT_TRUE(std::isnan(score.error_over_variance()));
    }
}

}  // namespace
}  // namespace sluice::score_test
