#include "track_options.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "market_files.hpp"
#include "sluice/error.hpp"

namespace sluice::test::track_options_test {
namespace {

using portfolio::Rebalance;
using portfolio::TrackOptions;

TEST(TrackOptions, EveryPresetSuitsAnOrdinaryMarket) {
    for (const std::string& name : TrackOptions::presets()) {
        EXPECT_TRUE(TrackOptions::preset(name).problems(323, 2, 290).empty()) << name;
    }
    EXPECT_THROW((void)TrackOptions::preset("trackng"), OptionError);
}

TEST(TrackOptions, AreRefusedBeyondTheirRanges) {
    const auto broken = [](auto change) {
        TrackOptions options;
        change(options);
        return options.problems(100, 2, 290).size();
    };
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(broken([](TrackOptions& o) { o.names = 100; }), 0U);
    EXPECT_EQ(broken([](TrackOptions& o) { o.names = 101; }), 1U);
    EXPECT_EQ(broken([](TrackOptions& o) { o.names = 2; }), 0U);
    EXPECT_EQ(broken([](TrackOptions& o) { o.names = 1; }), 1U);
    EXPECT_EQ(broken([](TrackOptions& o) { o.warmup = 289; }), 0U);
    EXPECT_EQ(broken([](TrackOptions& o) { o.warmup = 290; }), 1U);
    EXPECT_EQ(broken([](TrackOptions& o) { o.warmup = 1; }), 1U);
    EXPECT_EQ(broken([](TrackOptions& o) { o.enhance = -1.0; }), 1U);
    EXPECT_EQ(broken([](TrackOptions& o) { o.enhance = kNone; }), 1U);
    EXPECT_EQ(broken([](TrackOptions& o) { o.costs = 0.0; }), 0U);
    EXPECT_EQ(broken([](TrackOptions& o) { o.costs = 10'000.0; }), 1U);
    EXPECT_EQ(broken([](TrackOptions& o) { o.costs = kNone; }), 1U);
    EXPECT_EQ(broken([](TrackOptions& o) { o.max_weight = 0.0; }), 1U);
    EXPECT_EQ(broken([](TrackOptions& o) { o.turnover_budget = -0.1; }), 1U);
    EXPECT_EQ(broken([](TrackOptions& o) { o.hold_bonus = -0.1; }), 1U);
    EXPECT_EQ(broken([](TrackOptions& o) { o.hold_bonus = kNone; }), 1U);
    EXPECT_EQ(broken([](TrackOptions& o) { o.shortlist = 0; }), 1U);
    EXPECT_EQ(broken([](TrackOptions& o) { o.window = 1; }), 1U);
    EXPECT_EQ(broken([](TrackOptions& o) { o.threads = 0; }), 1U);
    EXPECT_EQ(broken([](TrackOptions& o) { o.model.forgetting = 2.0; }), 1U);
}

TEST(TrackOptions, RebalancingReadsBackWhatItWrites) {
    for (const char* text : {"every", "4", "band:0.05", "band:0.02"}) {
        EXPECT_EQ(Rebalance::parse(text).text(), text);
    }
    EXPECT_EQ(Rebalance::parse("band").text(), "band:0.02");
    EXPECT_EQ(Rebalance::parse("1"), Rebalance{});
    for (const char* text : {"", "0", "-1", "often", "band:", "band:0", "band:x", "band:2", "4 weeks", "1.5"}) {
        EXPECT_THROW((void)Rebalance::parse(text), OptionError) << text;
    }
}

TEST(TrackOptions, LimitsThatLeaveMoneyUninvestedAreNamed) {
    TrackOptions options;
    options.names = 10;
    EXPECT_EQ(options.uninvested(1), "");
    options.max_weight = 0.1;
    EXPECT_EQ(options.uninvested(1), "") << "ten of a tenth";
    options.max_weight = 0.05;
    EXPECT_EQ(options.uninvested(1),
              "max_weight = 0.05 with names = 10: at most 50 % of the portfolio can be invested, the rest is cash. 20 "
              "names of that weight would be needed");
    options.fully_invested = true;
    SLUICE_EXPECT_SAYS(options.uninvested(2),
                       "at most 25 % of the portfolios together can be invested, the rest is cash, although "
                       "fully_invested is asked for. 40 names");
}

}  // namespace
}  // namespace sluice::test::track_options_test
