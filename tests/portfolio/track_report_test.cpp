#include "track_report.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "market_files.hpp"
#include "small_market.hpp"

namespace sluice::test {
namespace {

using portfolio::Market;
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

TEST(TrackReport, ShowsEveryStrategyAndWhatToHoldNext) {
    const Market market = two_index_market(12, 60, 1);
    const TrackOptions options = small_options();
    const TrackResult result = portfolio::run_track(market, options, {"sluice", "lars", "random"});
    const std::string table = portfolio::track_table(result, market, options);
    SLUICE_EXPECT_SAYS(table, "12 stocks, 30 scored of 60 periods (week 31 to week 60)");
    SLUICE_EXPECT_SAYS(table, "lars");
    SLUICE_EXPECT_SAYS(table, "mean of 4 portfolios");
    SLUICE_EXPECT_SAYS(table, "to hold next");
    EXPECT_EQ(table.find("nan"), std::string::npos) << table;
}

TEST(TrackReport, JsonHasTheAgreedForm) {
    const Market market = two_index_market(12, 60, 2);
    const TrackOptions options = small_options();
    const TrackResult result = portfolio::run_track(market, options, {"sluice", "equal"});
    const std::string json = portfolio::track_json(result, market, options);
    EXPECT_TRUE(json.starts_with(R"({"strategies": [{"name": "sluice", )")) << json;
    for (const char* part :
         {R"("indices": [{"name": "A", "error_over_variance": )", R"("tracking_error": )", R"("annual_return": )",
          R"("annual_excess": )", R"("names_changed_per_period": )", R"("costs": )",
          R"("gross": {"error_over_variance": )", R"({"name": "equal", )", R"("settings": {"names": 4, )"}) {
        SLUICE_EXPECT_SAYS(json, part);
    }
    EXPECT_EQ(json.find("nan"), std::string::npos);
    EXPECT_EQ(json.find("null, \"tracking_error"), std::string::npos);
}

TEST(TrackReport, HoldingsAddUpToWhatIsInvested) {
    const Market market = two_index_market(12, 60, 3);
    const TrackOptions options = small_options();
    const TrackResult result = portfolio::run_track(market, options, {"equal"});
    std::istringstream lines(portfolio::holdings_csv(result, market));
    std::string line;
    std::getline(lines, line);
    EXPECT_EQ(line, "strategy,date,index,stock,weight");
    std::size_t count = 0;
    double sum = 0.0;
    while (std::getline(lines, line)) {
        ++count;
        sum += std::stod(line.substr(line.rfind(',') + 1));
    }
    EXPECT_EQ(count, 30U * 2U * 12U);
    EXPECT_NEAR(sum, 60.0, 1e-9);
}

TEST(Reasons, ShowThatEachNameIsOfUse) {
    const Market market = two_index_market(12, 120, 4);
    const TrackOptions options = small_options();
    const TrackResult result = portfolio::run_track(market, options, {"sluice"});
    const auto& next = result.strategies.front().next;
    EXPECT_EQ(next.size(), 4U);
    for (const auto& one : next) {
        EXPECT_GT(one.error_without, one.error);
        EXPECT_GT(one.weight, 0.0);
        EXPECT_GT(one.correlation, 0.0);
        EXPECT_LE(one.share_of_time, 1.0);
        EXPECT_EQ(one.stock / 6, one.index);  // each index is held by its own half of the stocks
    }
}

}  // namespace
}  // namespace sluice::test
