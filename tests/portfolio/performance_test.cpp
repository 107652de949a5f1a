#include "performance.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "small_market.hpp"

namespace sluice::test::performance_test {
namespace {

using portfolio::Figures;
using portfolio::figures;

constexpr double kRounding = 1e-12;  // a handful of sums of numbers near 0.1

TEST(Performance, AgreesWithNumbersWorkedOutByHand) {
    const std::vector<double> p{0.10, -0.10, 0.05, 0.00};
    const std::vector<double> i{0.08, -0.06, 0.02, 0.00};
    const std::vector<double> y{0.09, -0.05, 0.03, 0.01};  // the index and 0.01 a period
    const Figures f = figures(p, i, y, 2.0);
    // p - y: 0.01, -0.05, 0.02, -0.01; squares 0.0001 + 0.0025 + 0.0004 + 0.0001 = 0.0031. The index has mean 0.01 and squared
    // deviations 0.0049 + 0.0049 + 0.0001 + 0.0001 = 0.0100.
    EXPECT_NEAR(f.error_over_variance, 0.31, kRounding);
    // Mean of p - y: -0.0075; squares about it 0.0031 - 4 (0.0075)^2 = 0.002875; over three, times two periods a year.
    EXPECT_NEAR(f.tracking_error, std::sqrt(2.0 * 0.002875 / 3.0), kRounding);
    // p - i: 0.02, -0.04, 0.03, 0: mean 0.0025; squares 0.0029 - 4 (0.0025)^2 = 0.002875.
    EXPECT_NEAR(f.information_ratio, std::sqrt(2.0) * 0.0025 / std::sqrt(0.002875 / 3.0), kRounding);
    // Four periods are two years.
    const double wealth = 1.10 * 0.90 * 1.05;
    const double index = 1.08 * 0.94 * 1.02;
    const double target = 1.09 * 0.95 * 1.03 * 1.01;
    EXPECT_NEAR(f.annual_return, std::sqrt(wealth) - 1.0, kRounding);
    EXPECT_NEAR(f.annual_excess, std::sqrt(wealth) - std::sqrt(index), kRounding);
    EXPECT_NEAR(f.annual_excess_over_target, std::sqrt(wealth) - std::sqrt(target), kRounding);
    EXPECT_NEAR(f.maximum_drawdown, 0.10, kRounding);
}

TEST(Performance, OfTheIndexItselfIsWithoutError) {
    const std::vector<double> i{0.02, -0.01, 0.03};
    const Figures f = figures(i, i, i, 52.0);
    EXPECT_EQ(f.error_over_variance, 0.0);
    EXPECT_EQ(f.tracking_error, 0.0);
    EXPECT_EQ(f.annual_excess, 0.0);
    EXPECT_EQ(f.information_ratio, 0.0);
}

TEST(Performance, SaysThatAllIsLostAndNotANumberThatIsNone) {
    const std::vector<double> p{0.5, -1.0, 0.2};
    const std::vector<double> i{0.1, 0.0, 0.1};
    const Figures f = figures(p, i, i, 52.0);
    EXPECT_EQ(f.annual_return, -1.0);
    EXPECT_EQ(f.maximum_drawdown, 1.0);
    for (const auto& field : portfolio::kFigures) {
        EXPECT_TRUE(std::isfinite(f.*field.value)) << field.name;
    }
}

TEST(Performance, CountsTurnoverCostsAndNames) {
    // Period 3 and 4 are scored. Half in each of two stocks; the first moves by 20 %, so its weight is 0.6 / 1.1 afterwards.
    const auto market = market_by_hand({{0.0, 0.0}, {0.0, 0.0}, {0.2, 0.0}, {0.0, 0.0}}, {0.0, 0.0, 0.1, 0.0});
    FixedWeights strategy({0.5, 0.5});
    portfolio::TrackOptions options;
    options.names = 2;
    options.warmup = 2;
    options.costs = 100.0;
    const auto walk = portfolio::walk_forward(market, strategy, options);
    const auto all = portfolio::measure(walk, market, options);
    const double back = 2.0 * ((0.6 / 1.1) - 0.5);  // sold of one, bought of the other
    EXPECT_NEAR(all.indices[0].trading.turnover_per_period, back, kRounding);
    EXPECT_NEAR(all.indices[0].trading.costs, 0.01 * (1.0 + back), kRounding);
    EXPECT_NEAR(all.indices[0].trading.costs_per_year, 0.01 * (1.0 + back) * 26.0, kRounding);
    EXPECT_NEAR(all.costs, 0.01 * (1.0 + back), kRounding);
    EXPECT_EQ(all.indices[0].trading.names, 2.0);
    EXPECT_NEAR(all.indices[0].trading.effective_names, 2.0, kRounding);
    EXPECT_EQ(all.names_changed_per_period, 0.0);
    EXPECT_EQ(all.most_names, 2.0);
}

}  // namespace
}  // namespace sluice::test::performance_test
