#include "walk_forward.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "market_files.hpp"
#include "sluice/error.hpp"
#include "small_market.hpp"

namespace sluice::test::walk_forward_test {
namespace {

using portfolio::Keep;
using portfolio::Rebalance;
using portfolio::TrackOptions;
using portfolio::Walk;

constexpr double kRounding = 1e-12;  // products of a hundred numbers near one

TrackOptions plain(std::size_t warmup = 2) {
    TrackOptions options;
    options.names = 2;
    options.warmup = warmup;
    options.costs = 0.0;
    return options;
}

TEST(WalkForward, LearnsEveryPeriodAndEarnsOnlyWhatWasSetBefore) {
    const auto market = market_by_hand({{9.0, 9.0}, {9.0, 9.0}, {0.1, 0.3}, {-0.2, 0.5}}, {0.0, 0.0, 0.2, 0.1});
    FixedWeights strategy({0.25, 0.5});
    const Walk walk = portfolio::walk_forward(market, strategy, plain());
    EXPECT_EQ(strategy.learnt, 4);
    EXPECT_EQ(strategy.asked, 2);  // after periods 2 and 3: what is set after the last would earn nothing
    EXPECT_EQ(walk.first, 2U);
    EXPECT_NEAR(walk.gross(0, 0), (0.25 * 0.1) + (0.5 * 0.3), kRounding);
    EXPECT_NEAR(walk.gross(1, 0), (0.25 * -0.2) + (0.5 * 0.5), kRounding);
}

TEST(WalkForward, WithoutRebalancingWealthIsThatOfSharesBoughtOnce) {
    const auto market = two_index_market(6, 60, 3);
    FixedWeights strategy({0.1, 0.2, 0.15, 0.05, 0.25, 0.05});  // and 0.2 in cash
    TrackOptions options = plain();
    options.rebalance = Rebalance::parse("1000");
    const Walk walk = portfolio::walk_forward(market, strategy, options);
    EXPECT_EQ(strategy.asked, 1);
    double wealth = 1.0;
    std::vector<double> shares{0.1, 0.2, 0.15, 0.05, 0.25, 0.05};
    for (std::size_t row = 0; row < walk.gross.rows(); ++row) {
        wealth *= 1.0 + walk.gross(row, 0);
        double worth = 0.2;
        for (std::size_t j = 0; j < shares.size(); ++j) {
            shares[j] *= 1.0 + market.stock_returns(j, walk.first + row);
            worth += shares[j];
        }
        ASSERT_NEAR(wealth, worth, kRounding) << row;
    }
}

TEST(WalkForward, NetWealthIsGrossWealthLessWhatEachTradeCost) {
    const auto market = two_index_market(6, 60, 4);
    FixedWeights strategy({0.3, 0.3, 0.2, 0.1, 0.05, 0.05});
    TrackOptions options = plain();
    options.costs = 50.0;
    const Walk walk = portfolio::walk_forward(market, strategy, options);
    EXPECT_NEAR(walk.traded(0, 0), 1.0, kRounding);  // the first purchase
    double gross = 1.0;
    double net = 1.0;
    double left = 1.0;
    for (std::size_t row = 0; row < walk.gross.rows(); ++row) {
        gross *= 1.0 + walk.gross(row, 1);
        net *= 1.0 + walk.net(row, 1);
        left *= 1.0 - (0.005 * walk.traded(row, 1));
    }
    EXPECT_NEAR(net, gross * left, kRounding);
    EXPECT_LT(net, gross);
}

TEST(WalkForward, TradesOnlyOutsideTheBand) {
    // After period 3 the weight of the first stock is 0.55 / 1.05 = 0.524, after period 4 at 0.576 of what follows.
    const auto market =
        market_by_hand({{0, 0}, {0, 0}, {0.1, 0.0}, {0.2, 0.0}, {0, 0}, {0, 0}}, {0.0, 0.0, 0.05, 0.1, 0.0, 0.01});
    FixedWeights strategy({0.5, 0.5});
    TrackOptions options = plain();
    options.rebalance = Rebalance::parse("band:0.05");
    const Walk walk = portfolio::walk_forward(market, strategy, options);
    EXPECT_EQ(walk.traded(1, 0), 0.0);
    EXPECT_GT(walk.traded(2, 0), 0.1);
    EXPECT_EQ(walk.traded(3, 0), 0.0);
}

TEST(WalkForward, RebalancesEachSoManyPeriods) {
    const auto market = two_index_market(4, 30, 5);
    FixedWeights strategy({0.25, 0.25, 0.25, 0.25});
    TrackOptions options = plain();
    options.rebalance = Rebalance::parse("4");
    const Walk walk = portfolio::walk_forward(market, strategy, options);
    for (std::size_t row = 0; row < walk.gross.rows(); ++row) {
        EXPECT_EQ(walk.traded(row, 0) > 0.0, row % 4 == 0) << row;
    }
}

TEST(WalkForward, SellsAStockThatDiesAtItsLastPriceAndSaysSo) {
    const auto market = market_by_hand({{0, 0}, {0, 0}, {0.1, 0.1}, {kNoTrade, 0.2}, {kNoTrade, 0.1}, {kNoTrade, 0.1}},
                                       {0.0, 0.0, 0.1, 0.1, 0.1, 0.1});
    FixedWeights strategy({0.5, 0.5});
    TrackOptions options = plain();
    options.costs = 100.0;
    const Walk walk = portfolio::walk_forward(market, strategy, options, Keep::holdings_too);
    EXPECT_NEAR(walk.gross(1, 0), 0.5 * 0.2, kRounding);  // the dead half earned nothing
    EXPECT_NEAR(walk.traded(2, 0), (0.5 + 0.05) / 1.1,
                kRounding);                               // all of it sold, of the other 0.6 / 1.1 less a half
    EXPECT_NEAR(walk.gross(2, 0), 0.5 * 0.1, kRounding);  // the rest is cash
    EXPECT_EQ(walk.names(2, 0), 1.0);
    ASSERT_EQ(walk.notes.size(), 1U);
    SLUICE_EXPECT_SAYS(walk.notes[0], "week 4: s1 stopped trading while held for I and was sold at its last price");
    for (const auto& holding : walk.holdings) {
        EXPECT_TRUE(holding.stock != 0 || holding.period <= 3) << holding.period;
    }
}

TEST(WalkForward, KeepsAStockThroughAGapSinceNobodyCouldSellIt) {
    const auto market = market_by_hand({{0, 0}, {0, 0}, {kNoTrade, 0.0}, {kNoTrade, 0.2}, {-0.5, 0.0}, {0.0, 0.0}},
                                       {0.0, 0.0, 0.1, 0.1, 0.1, 0.2});
    FixedWeights strategy({0.6, 0.4});
    TrackOptions options = plain();
    options.costs = 100.0;
    const Walk walk = portfolio::walk_forward(market, strategy, options);
    EXPECT_EQ(walk.gross(0, 0), 0.0);
    EXPECT_EQ(walk.traded(1, 0), 0.0);
    EXPECT_NEAR(walk.gross(1, 0), 0.4 * 0.2, kRounding);
    EXPECT_NEAR(walk.gross(2, 0), (0.6 / 1.08) * -0.5, kRounding);  // the fall that the gap hid
    // What is stuck leaves room for 0.4 of the other, and no more.
    EXPECT_NEAR(walk.invested(2, 0), (0.6 / 1.08) + 0.4, kRounding);
    EXPECT_NEAR(walk.invested(3, 0), 1.0, kRounding);
    ASSERT_EQ(walk.notes.size(), 1U);
    SLUICE_EXPECT_SAYS(walk.notes[0], "week 3: s1 did not trade while held for I: it stays until it can be sold");
}

TEST(WalkForward, BuysAStockOnlyOnceItHasTraded) {
    const auto market = market_by_hand({{0, kNoTrade}, {0, kNoTrade}, {0.1, kNoTrade}, {0.1, 0.3}, {0.1, 0.2}},
                                       {0.0, 0.0, 0.1, 0.1, 0.1});
    FixedWeights strategy({0.5, 0.5});
    const Walk walk = portfolio::walk_forward(market, strategy, plain());
    EXPECT_NEAR(walk.gross(1, 0), 0.05, kRounding);  // born in period 4: not yet held in it
    EXPECT_NEAR(walk.gross(2, 0), 0.05 + (0.5 * 0.2), kRounding);
    EXPECT_EQ(walk.entered[2], 1U);
    EXPECT_TRUE(walk.notes.empty());
}

TEST(WalkForward, ContinuesAfterAPortfolioLostEverything) {
    const auto market = market_by_hand({{0, 0}, {0, 0}, {-0.9, 0.0}, {0.1, 0.0}}, {0.0, 0.0, 0.1, 0.2});
    FixedWeights strategy({2.0, 0.0});
    const Walk walk = portfolio::walk_forward(market, strategy, plain());
    EXPECT_EQ(walk.gross(0, 0), -1.0);
    EXPECT_NEAR(walk.gross(1, 0), 0.2, kRounding);
    ASSERT_EQ(walk.notes.size(), 1U);
    SLUICE_EXPECT_SAYS(walk.notes[0], "lost everything");
}

TEST(WalkForward, RefusesOptionsThatDoNotSuitTheMarketWithEveryReason) {
    const auto market = two_index_market(4, 10, 1);
    FixedWeights strategy({0.25, 0.25, 0.25, 0.25});
    TrackOptions options = plain(10);
    options.names = 5;
    try {
        (void)portfolio::walk_forward(market, strategy, options);
        FAIL();
    } catch (const OptionError& error) {
        EXPECT_EQ(error.problems().size(), 2U) << error.what();
    }
}

}  // namespace
}  // namespace sluice::test::walk_forward_test
