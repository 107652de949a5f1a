#include "splits.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "market_csv.hpp"
#include "market_files.hpp"
#include "small_market.hpp"
#include "track_report.hpp"

namespace sluice::test::splits_test {
namespace {

using portfolio::find_splits;
using portfolio::Market;
using portfolio::Split;
using portfolio::Splits;

constexpr std::size_t kStock = 5;
constexpr std::size_t kPeriod = 70;

// Deviations of a week of some 0.03, as stocks have them.
Market ordinary(std::uint64_t seed = 1) {
    return two_index_market(40, 120, seed);
}

Market with_split(double ratio, std::uint64_t seed = 1) {
    Market market = ordinary(seed);
    double& r = market.stock_returns(kStock, kPeriod);
    r = ((1.0 + r) / ratio) - 1.0;
    return market;
}

TEST(Splits, AreFoundWithStockPeriodAndRatio) {
    const std::vector<std::pair<double, std::string>> usual = {{2.0, "2 for 1"},   {3.0, "3 for 1"}, {1.5, "3 for 2"},
                                                               {10.0, "10 for 1"}, {0.5, "1 for 2"}, {0.1, "1 for 10"}};
    for (const auto& [ratio, text] : usual) {
        std::size_t found = 0;
        for (std::uint64_t seed = 1; seed <= 20; ++seed) {
            const std::vector<Split> splits = find_splits(with_split(ratio, seed));
            if (splits.empty()) {
                continue;  // the stock's own move of that week was unusual: 1 week in 20
            }
            ASSERT_EQ(splits.size(), 1U) << text;
            EXPECT_EQ(splits.front().stock, kStock);
            EXPECT_EQ(splits.front().period, kPeriod);
            EXPECT_EQ(splits.front().text(), text);
            EXPECT_NEAR(splits.front().ratio(), ratio, 1e-12);
            ++found;
        }
        EXPECT_GE(found, 16U) << text;
    }
}

TEST(Splits, NothingIsFoundInOrdinaryReturns) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        EXPECT_TRUE(find_splits(ordinary(seed)).empty()) << seed;
    }
}

TEST(Splits, ACrashOfManyStocksIsNone) {
    Market market = ordinary();
    for (std::size_t j = 0; j < 8; ++j) {
        double& r = market.stock_returns(j, kPeriod);
        r = ((1.0 + r) / 2.0) - 1.0;
    }
    EXPECT_TRUE(find_splits(market).empty());
}

TEST(Splits, AMoveThatIsNoUsualRatioIsNone) {
    for (const double ratio : {1.25, 1.72, 2.4, 0.7, 0.62}) {
        EXPECT_TRUE(find_splits(with_split(ratio)).empty()) << ratio;
    }
}

TEST(Splits, OnlyThePeriodAndThoseBeforeItAreUsed) {
    Market market = with_split(2.0);
    const std::size_t found = find_splits(market).size();
    Market shorter = market;
    shorter.dates.resize(kPeriod + 1);
    shorter.stock_returns = Matrix(market.stocks.size(), kPeriod + 1);
    shorter.index_returns = Matrix(2, kPeriod + 1);
    for (std::size_t t = 0; t <= kPeriod; ++t) {
        for (std::size_t j = 0; j < market.stocks.size(); ++j) {
            shorter.stock_returns(j, t) = market.stock_returns(j, t);
        }
    }
    EXPECT_EQ(found, 1U);
    EXPECT_EQ(find_splits(shorter).size(), 1U);
}

TEST(Splits, AreLeftOutAdjustedOrKeptAsAskedForAndAlwaysNamed) {
    const double usual = ordinary().stock_returns(kStock, kPeriod);
    const auto treated = [&](Splits treatment) {
        Market market = with_split(2.0);
        treat_splits(market, treatment);
        EXPECT_EQ(market.warnings.size(), 1U);
        SLUICE_EXPECT_SAYS(market.warnings.front(), "s6 week 71: ");
        SLUICE_EXPECT_SAYS(market.warnings.front(), "looks like a split of 2 for 1");
        return market.stock_returns(kStock, kPeriod);
    };
    EXPECT_TRUE(std::isnan(treated(Splits::missing)));
    EXPECT_NEAR(treated(Splits::adjust), usual, 1e-12);
    EXPECT_NEAR(treated(Splits::keep), ((1.0 + usual) / 2.0) - 1.0, 1e-12);
}

TEST(Splits, AStockThatIsHeldThroughOneIsKeptAndEarnsNothingThatPeriod) {
    Market market = with_split(2.0);
    treat_splits(market, Splits::missing);
    portfolio::TrackOptions options;
    options.warmup = 30;
    const auto result = portfolio::run_track(market, options, {"equal"});
    for (const portfolio::PeriodResult& one : result.strategies.front().periods) {
        EXPECT_GT(one.gross, -0.2) << one.period;
    }
    SLUICE_EXPECT_SAYS(result.strategies.front().notes.front(), "s6 did not trade while held");
}

TEST(Splits, ThoseOfAFileOfPricesAreTreatedAsAskedFor) {
    MarketFiles files;
    const std::string text = weekly_prices_csv(with_split(3.0));
    for (const Splits treatment : {Splits::missing, Splits::adjust, Splits::keep}) {
        portfolio::MarketRequest request{.index = {"A", "B"}, .splits = treatment};
        const Market market = files.read(text, request);
        ASSERT_EQ(market.warnings.size(), 1U);
        EXPECT_EQ(std::isnan(market.stock_returns(kStock, kPeriod)), treatment == Splits::missing);
        const bool noted = notes_of(market).find("more than 50 %") != std::string::npos;
        EXPECT_EQ(noted, treatment == Splits::keep) << "a large move is noted only where it is kept";
    }
}

}  // namespace
}  // namespace sluice::test::splits_test
