#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "sluice/error.hpp"
#include "sluice/simulate.hpp"

namespace sluice::market_stream_test {
namespace {

struct Drawn {
    std::vector<std::vector<double>> stocks;   // by period
    std::vector<std::vector<double>> indices;  // by period
    std::size_t regimes = 0;
};

Drawn draw(const MarketOptions& options, std::uint64_t seed, std::size_t periods) {
    MarketStream stream(options, seed);
    Drawn out;
    for (std::size_t t = 0; t < periods; ++t) {
        std::vector<double> stocks(stream.stocks());
        std::vector<double> indices(stream.indices());
        out.regimes += stream.next(stocks, indices) ? 1U : 0U;
        out.stocks.push_back(stocks);
        out.indices.push_back(indices);
    }
    return out;
}

double covariance(const std::vector<std::vector<double>>& rows, std::size_t a, std::size_t b) {
    double ma = 0.0;
    double mb = 0.0;
    double ab = 0.0;
    const auto n = static_cast<double>(rows.size());
    for (const auto& row : rows) {
        ma += row[a] / n;
        mb += row[b] / n;
    }
    for (const auto& row : rows) {
        ab += (row[a] - ma) * (row[b] - mb) / n;
    }
    return ab;
}

TEST(MarketStream, HasThePapersShapeAndIsTheSameForTheSameSeed) {
    const Drawn one = draw({}, 5, 290);
    EXPECT_EQ(one.stocks.front().size(), 98U + 225U);
    EXPECT_EQ(one.indices.front().size(), 2U);
    EXPECT_EQ(one.stocks, draw({}, 5, 290).stocks);
    EXPECT_NE(one.stocks, draw({}, 6, 290).stocks);
    EXPECT_GE(one.regimes, 2U);
    EXPECT_LE(one.regimes, 12U);
}

TEST(MarketStream, ReturnsAreAboveMinusOneAndAnIndexIsAMeanOfItsStocks) {
    MarketStream stream({}, 3);
    std::vector<double> stocks(stream.stocks());
    std::vector<double> indices(stream.indices());
    for (std::size_t t = 0; t < 1000; ++t) {
        (void)stream.next(stocks, indices);
        for (std::size_t k = 0; k < 2; ++k) {
            double least = 1e9;
            double most = -1e9;
            for (std::size_t i = 0; i < stocks.size(); ++i) {
                ASSERT_GT(stocks[i], -1.0);
                if (stream.market_of(i) == k) {
                    least = std::min(least, stocks[i]);
                    most = std::max(most, stocks[i]);
                }
            }
            ASSERT_GE(indices[k], least);
            ASSERT_LE(indices[k], most);
        }
    }
}

// 4000 periods: a correlation is then known to some 0.02, a deviation to 2 %; regimes widen both.
TEST(MarketStream, TheSecondIndexIsTheRestlessOneAndTheTwoHaveSomethingInCommon) {
    const Drawn drawn = draw({}, 8, 4000);
    const double first = std::sqrt(covariance(drawn.indices, 0, 0));
    const double second = std::sqrt(covariance(drawn.indices, 1, 1));
    EXPECT_NEAR(first, 0.015, 0.003);
    EXPECT_NEAR(second, 0.030, 0.006);
    EXPECT_NEAR(covariance(drawn.indices, 0, 1) / (first * second), 0.25, 0.08);
}

TEST(MarketStream, ReportsEveryBrokenRule) {
    try {
        MarketStream stream({.stocks = {0},
                             .volatility = {0.01, 0.02},
                             .yearly_trend = {},
                             .sectors = 0,
                             .regime_periods = 0.5,
                             .periods_per_year = 0.0},
                            1);
        FAIL();
    } catch (const OptionError& error) {
        EXPECT_EQ(error.problems().size(), 6U);
    }
}

}  // namespace
}  // namespace sluice::market_stream_test
