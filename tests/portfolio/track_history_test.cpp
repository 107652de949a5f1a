#include "track_history.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "small_market.hpp"
#include "walk_forward.hpp"

namespace sluice::test::track_history_test {
namespace {

using portfolio::Market;
using portfolio::StrategyResult;
using portfolio::TrackOptions;
using portfolio::TrackResult;

TrackOptions small_options() {
    TrackOptions options;
    options.names = 4;
    options.warmup = 30;
    options.window = 30;
    options.random_portfolios = 4;
    return options;
}

TEST(TrackHistory, HasAllPeriodsAndScoresThoseAfterTheWarmup) {
    const Market market = two_index_market(12, 60, 1);
    const TrackOptions options = small_options();
    const TrackResult result = portfolio::run_track(market, options, {"sluice"});
    const report::History history = portfolio::track_history(result.strategies[0], market, options);
    EXPECT_EQ(history.rows(), 60U);
    ASSERT_EQ(history.targets(), (std::vector<std::string>{"A, return in %", "B, return in %"}));
    for (std::size_t k = 0; k < 2; ++k) {
        std::uint64_t scored = 0;
        double squares = 0.0;
        for (const auto& bin : history.lines(k)) {
            scored += bin.scored;
            squares += bin.squares;
        }
        EXPECT_EQ(scored, 30U);
        double expected = 0.0;  // squared distance from the index, in per cent
        for (const auto& one : result.strategies[0].periods) {
            expected += one.index == k ? std::pow(100.0 * (one.net - market.index_returns(k, one.period)), 2.0) : 0.0;
        }
        EXPECT_NEAR(squares, expected, 1e-9 * expected);
    }
}

TEST(TrackHistory, AStockIsInUseWhileItIsHeldWithItsWeightInPerCent) {
    const Market market = two_index_market(12, 60, 1);
    const TrackOptions options = small_options();
    const TrackResult result = portfolio::run_track(market, options, {"sluice"});
    const StrategyResult& ours = result.strategies[0];
    report::History history = portfolio::track_history(ours, market, options);
    std::vector<double> weights;
    for (const auto& one : ours.holdings) {
        if (one.period == 59) {
            weights.push_back(100.0 * one.weight);
        }
    }
    std::ranges::sort(weights, std::ranges::greater());
    ASSERT_EQ(history.last_uses().size(), weights.size());
    for (std::size_t i = 0; i < weights.size(); ++i) {
        EXPECT_DOUBLE_EQ(history.last_uses()[i].weight, weights[i]);
    }
    for (std::size_t stock = 0; stock < market.stocks.size(); ++stock) {
        std::set<std::size_t> held;
        for (const auto& one : ours.holdings) {
            if (one.stock == stock) {
                held.insert(one.period);
            }
        }
        const std::size_t variable = history.variable(market.stocks[stock]);
        EXPECT_EQ(history.presence().variables()[variable].rows, held.size()) << market.stocks[stock];
    }
}

// With rebalancing in every period, those that change the names; else all trades.
TEST(TrackHistory, RebalancingIsAnEventWithTheNamesThatWereBoughtAndSold) {
    const Market market = two_index_market(12, 90, 4);
    TrackOptions options = small_options();
    options.hold_bonus = 0.0;
    for (const char* when : {"every", "5"}) {
        options.rebalance = portfolio::Rebalance::parse(when);
        const TrackResult result = portfolio::run_track(market, options, {"sluice"});
        const report::History history = portfolio::track_history(result.strategies[0], market, options);
        const auto& events = history.events().events();
        ASSERT_FALSE(events.empty());
        EXPECT_EQ(events[0].kind, "rebalanced");
        EXPECT_EQ(events[0].row, 31U);
        EXPECT_EQ(events[0].time, "week 31");
        EXPECT_EQ(events[0].entered.size(), history.last_uses().size());
        EXPECT_NE(events[0].text.find("% of the portfolio for A"), std::string::npos) << events[0].text;
        std::set<std::string> held;
        for (const auto& event : events) {
            for (const std::string& name : event.left) {
                EXPECT_EQ(held.erase(name), 1U) << name;
            }
            for (const std::string& name : event.entered) {
                EXPECT_TRUE(held.insert(name).second) << name;
            }
            EXPECT_TRUE(std::string(when) != "every" || !event.entered.empty() || !event.left.empty());
            EXPECT_TRUE(std::string(when) == "every" || event.row % 5 == 1) << event.row;
        }
        EXPECT_GT(events.size(), 3U);
        std::set<std::string> last;
        for (const auto& use : history.last_uses()) {
            last.insert(history.presence().variables()[use.variable].name);
        }
        EXPECT_EQ(held, last);
    }
}

TEST(TrackHistory, NotesOfAPortfolioAreEventsOfTheirPeriod) {
    const Market market = two_index_market(12, 60, 1);
    const TrackOptions options = small_options();
    TrackResult result = portfolio::run_track(market, options, {"sluice"});
    result.strategies[0].notes = {"week 40: s1 stopped trading: sold", "no date"};
    const report::History history = portfolio::track_history(result.strategies[0], market, options);
    const auto& events = history.events().events();
    const auto note = std::ranges::find(events, "note", &report::StreamEvent::kind);
    ASSERT_NE(note, events.end());
    EXPECT_EQ(note->row, 40U);
    EXPECT_EQ(note->text, "s1 stopped trading: sold");
    EXPECT_EQ(std::ranges::count(events, "note", &report::StreamEvent::kind), 1);
}

TEST(TrackHistory, ShowsOursOrTheFirstWhoseHoldingsAreKnown) {
    const Market market = two_index_market(12, 60, 1);
    const TrackOptions options = small_options();
    const auto shown = [&](const std::vector<std::string>& strategies) {
        const TrackResult result = portfolio::run_track(market, options, strategies);
        const StrategyResult* one = portfolio::shown_strategy(result);
        return one != nullptr ? one->name : "";
    };
    EXPECT_EQ(shown({"lars", "sluice"}), "sluice");
    EXPECT_EQ(shown({"random", "equal", "lars"}), "equal");
    EXPECT_EQ(shown({"random"}), "");
}

}  // namespace
}  // namespace sluice::test::track_history_test
