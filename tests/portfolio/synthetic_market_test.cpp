#include "synthetic_market.hpp"

#include <gtest/gtest.h>

#include "market_csv.hpp"
#include "market_files.hpp"

namespace sluice::test::synthetic_market_test {
namespace {

using portfolio::Market;
using portfolio::read_market;
using portfolio::synthetic_market;
using portfolio::weekly_prices_csv;

TEST(SyntheticMarket, HasThePapersShapeAndSaysWhatItIs) {
    const Market market = synthetic_market({}, 290, 1);
    EXPECT_EQ(market.indices, (std::vector<std::string>{"index1", "index2"}));
    EXPECT_EQ(market.stocks.size(), 323U);
    EXPECT_EQ(market.stocks[98], "index2.1");
    EXPECT_EQ(market.dates.size(), 290U);
    EXPECT_EQ(market.stock_returns.cols(), 290U);
    SLUICE_EXPECT_SAYS(notes_of(market), "synthetic: seed 1; regimes begin in weeks 1, ");
}

// Prices are written with ten digits: returns come back to some 1e-9.
TEST(SyntheticMarket, ComesBackFromItsCsv) {
    const Market market = synthetic_market({.stocks = {5, 3}, .volatility = {0.01, 0.02}}, 60, 7);
    MarketFiles files;
    const Market back =
        read_market({.files = {files.add("m.csv", weekly_prices_csv(market))}, .index = {"index1", "index2"}});
    EXPECT_EQ(back.stocks, market.stocks);
    EXPECT_EQ(back.dates.front(), "2019-01-11");
    EXPECT_EQ(back.periods_per_year, 52.0);
    ASSERT_EQ(back.dates.size(), 60U);
    for (std::size_t t = 0; t < 60; ++t) {
        for (std::size_t i = 0; i < 8; ++i) {
            EXPECT_NEAR(back.stock_returns(i, t), market.stock_returns(i, t), 2e-9);
        }
    }
    EXPECT_TRUE(back.notes.empty()) << notes_of(back);
}

}  // namespace
}  // namespace sluice::test::synthetic_market_test
