// Manners that every strategy has, ours and the rivals alike.
#include "strategies.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "small_market.hpp"
#include "track_job.hpp"

namespace sluice::test::strategies_test {
namespace {

using portfolio::Holding;
using portfolio::Market;
using portfolio::StrategyResult;
using portfolio::TrackOptions;

constexpr std::size_t kStocks = 24;
constexpr std::size_t kPeriods = 90;

TrackOptions small_options() {
    TrackOptions options;
    options.names = 6;
    options.warmup = 30;
    options.window = 40;
    options.random_portfolios = 5;
    return options;
}

StrategyResult run(const Market& market, const std::string& name, const TrackOptions& options = small_options()) {
    return portfolio::run_track(market, options, {name}).strategies.front();
}

class EveryStrategy : public testing::TestWithParam<std::string> {};
class EveryPortfolio : public EveryStrategy {
};  ///< not the mean of many, whose holdings are not kept: each of them is what rls is
class EveryChoice : public EveryStrategy {};  ///< not the one that holds all

TEST_P(EveryPortfolio, DoesNotLookAhead) {
    const Market market = two_index_market(kStocks, kPeriods, 1);
    constexpr std::size_t kChanged = 60;  // the first period that is another one
    Market other = market;
    for (std::size_t t = kChanged; t < kPeriods; ++t) {
        for (std::size_t j = 0; j < kStocks; ++j) {
            other.stock_returns(j, t) = -3.0 * market.stock_returns(kStocks - 1 - j, t);
        }
        other.index_returns(0, t) = 0.5;
    }
    const StrategyResult one = run(market, GetParam());
    const StrategyResult two = run(other, GetParam());
    // Weights that earn period t were set before it: up to and with kChanged they agree to the bit.
    std::size_t compared = 0;
    for (std::size_t h = 0; h < std::min(one.holdings.size(), two.holdings.size()); ++h) {
        const Holding& a = one.holdings[h];
        const Holding& b = two.holdings[h];
        if (a.period > kChanged) {
            EXPECT_GT(b.period, kChanged);
            break;
        }
        ASSERT_EQ(a.period, b.period);
        ASSERT_EQ(a.stock, b.stock);
        ASSERT_EQ(a.weight, b.weight);
        ++compared;
    }
    EXPECT_GE(compared, kChanged - 30);
}

TEST_P(EveryStrategy, GivesNumbersWhateverTheGaps) {
    Market market = two_index_market(kStocks, kPeriods, 2);
    for (std::size_t t = 0; t < kPeriods; ++t) {
        market.stock_returns(0, t) = 0.0;                                             // never moves
        market.stock_returns(1, t) = t < 50 ? kNoTrade : market.stock_returns(1, t);  // born late
        market.stock_returns(2, t) = t > 45 ? kNoTrade : market.stock_returns(2, t);  // dies
        market.stock_returns(3, t) = t % 3 == 0 ? kNoTrade : market.stock_returns(3, t);
        market.stock_returns(4, t) = kNoTrade;  // never lives
    }
    const StrategyResult result = run(market, GetParam());
    const auto held_before = [&](const Holding& now) {
        return std::ranges::any_of(result.holdings, [&](const Holding& before) {
            return before.period + 1 == now.period && before.stock == now.stock && before.index == now.index;
        });
    };
    for (const Holding& holding : result.holdings) {
        ASSERT_TRUE(std::isfinite(holding.weight));
        const bool traded = !std::isnan(market.stock_returns(holding.stock, holding.period - 1));
        ASSERT_TRUE(traded || held_before(holding)) << "bought without a price";
    }
    for (const auto& index : result.performance.indices) {
        for (const auto& field : portfolio::kFigures) {
            EXPECT_TRUE(std::isfinite(index.net.*field.value)) << field.name;
            EXPECT_TRUE(std::isfinite(index.gross.*field.value)) << field.name;
        }
    }
}

TEST_P(EveryChoice, HoldsNoMoreNamesThanAskedFor) {
    for (const std::size_t names : {2U, 5U, 11U}) {
        TrackOptions options = small_options();
        options.names = names;
        EXPECT_LE(run(two_index_market(kStocks, kPeriods, 3), GetParam(), options).performance.most_names,
                  static_cast<double>(names));
    }
}

TEST_P(EveryStrategy, GivesTheSameBitsTwice) {
    const Market market = two_index_market(kStocks, kPeriods, 4);
    const StrategyResult one = run(market, GetParam());
    TrackOptions threads = small_options();
    threads.threads = 2;
    const StrategyResult two = run(market, GetParam(), threads);
    for (std::size_t k = 0; k < 2; ++k) {
        EXPECT_EQ(one.performance.indices[k].net.error_over_variance,
                  two.performance.indices[k].net.error_over_variance);
        EXPECT_EQ(one.performance.indices[k].trading.turnover_per_period,
                  two.performance.indices[k].trading.turnover_per_period);
    }
}

std::vector<std::string> names_without(const std::string& left_out) {
    std::vector<std::string> names;
    for (const auto& one : portfolio::strategy_names()) {
        if (one.usual && one.name != left_out) {  // the unusual one looks ahead, and says so
            names.emplace_back(one.name);
        }
    }
    return names;
}

const auto kItsName = [](const auto& each) { return each.param; };
INSTANTIATE_TEST_SUITE_P(Portfolio, EveryStrategy, testing::ValuesIn(names_without("")), kItsName);
INSTANTIATE_TEST_SUITE_P(Portfolio, EveryPortfolio, testing::ValuesIn(names_without("random")), kItsName);
INSTANTIATE_TEST_SUITE_P(Portfolio, EveryChoice, testing::ValuesIn(names_without("equal")), kItsName);

TEST(PaperStrategy, ReachesAnyTargetInTheSampleAndNoneAhead) {
    const auto market = two_index_market(kStocks, kPeriods, 9);
    TrackOptions options = small_options();
    options.enhance = 0.15;
    options.costs = 0.0;
    // Equation (20): one observation is fitted exactly, whatever the direction is.
    for (const auto& index : run(market, "paper-in-sample", options).performance.indices) {
        EXPECT_NEAR(index.net.error_over_variance, 0.0, 1e-12);
        EXPECT_NEAR(index.net.annual_excess_over_target, 0.0, 1e-9);
    }
    for (const auto& index : run(market, "paper", options).performance.indices) {
        EXPECT_GT(index.net.error_over_variance, 0.1);  // seen: 0.5 and more
    }
}

TEST(SluiceStrategy, FollowsIndicesMadeOfManyStocksWithFew) {
    const auto market = two_index_market(40, 260, 5);
    TrackOptions options = small_options();
    options.names = 10;
    options.warmup = 52;
    const StrategyResult ours = run(market, "sluice", options);
    const StrategyResult random = run(market, "random", options);
    for (std::size_t k = 0; k < 2; ++k) {
        // Five of twenty stocks whose own noise is as large as the factor: at best a fifth of the noise's variance is left.
        EXPECT_LT(ours.performance.indices[k].net.error_over_variance, 0.3);
        EXPECT_LT(ours.performance.indices[k].net.error_over_variance,
                  random.performance.indices[k].net.error_over_variance);
    }
}

TEST(SluiceStrategy, KeepsTheRulesOfItsPortfolios) {
    const auto market = two_index_market(kStocks, kPeriods, 6);
    TrackOptions options = small_options();
    options.max_weight = 0.3;
    options.fully_invested = true;
    options.names = 8;
    const auto walk = portfolio::walk_forward(market, *portfolio::sluice_strategy(kStocks, 2, options), options,
                                              portfolio::Keep::holdings_too);
    for (const Holding& holding : walk.holdings) {
        ASSERT_GE(holding.weight, 0.0);
        ASSERT_LE(holding.weight, 0.3 + 1e-12);
    }
    for (std::size_t row = 0; row < walk.invested.rows(); ++row) {
        // Where an index has three names only, no more than 0.9 can be in them.
        ASSERT_NEAR(walk.invested(row, 0), std::min(1.0, 0.3 * std::max(walk.names(row, 0), 1.0)), 1e-9);
    }
}

TEST(SluiceStrategy, TradesNoMoreThanItsBudget) {
    const auto market = two_index_market(kStocks, kPeriods, 7);
    TrackOptions options = small_options();
    options.turnover_budget = 0.3;
    const auto walk = portfolio::walk_forward(market, *portfolio::sluice_strategy(kStocks, 2, options), options);
    for (std::size_t k = 0; k < 2; ++k) {
        for (std::size_t row = 1; row < walk.traded.rows(); ++row) {
            ASSERT_LE(walk.traded(row, k), 0.3 + 1e-9);
        }
    }
}

TEST(SluiceStrategy, ChangesFewerNamesTheLargerTheHoldBonus) {
    const auto market = two_index_market(40, 260, 8);
    double before = 1e9;
    for (const double bonus : {0.0, 0.05, 0.5}) {
        TrackOptions options = small_options();
        options.hold_bonus = bonus;
        const double changed = run(market, "sluice", options).performance.names_changed_per_period;
        EXPECT_LT(changed, before) << bonus;
        before = changed;
    }
}

}  // namespace
}  // namespace sluice::test::strategies_test
