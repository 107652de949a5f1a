#include "track_report.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <iomanip>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "market_files.hpp"
#include "small_market.hpp"

namespace sluice::test::track_report_test {
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

// Before, cash had no line: the weights of a period did not add up, and nothing said what the rest was.
TEST(TrackReport, HoldingsAndCashOfAPortfolioAddUpToOne) {
    const Market market = two_index_market(12, 60, 3);
    TrackOptions options = small_options();
    options.max_weight = 0.2;
    const TrackResult result = portfolio::run_track(market, options, {"sluice", "equal", "random"});
    std::istringstream lines(portfolio::holdings_csv(result, market));
    std::string line;
    std::getline(lines, line);
    EXPECT_EQ(line, "strategy,date,index,stock,weight");
    std::map<std::string, double> sums;
    std::map<std::string, std::size_t> cash;
    double least_cash = 1.0;
    while (std::getline(lines, line)) {
        const std::string portfolio = line.substr(0, line.rfind(',', line.rfind(',') - 1));
        const double weight = std::stod(line.substr(line.rfind(',') + 1));
        sums[portfolio] += weight;
        if (line.find(",cash,") != std::string::npos) {
            ++cash[portfolio];
            least_cash = std::min(least_cash, line.starts_with("sluice") ? weight : 1.0);
        }
    }
    EXPECT_EQ(sums.size(), 2U * 30U * 2U) << "two strategies, 30 periods, 2 indices: the mean of many holds nothing";
    for (const auto& [portfolio, sum] : sums) {
        EXPECT_NEAR(sum, 1.0, 1e-12) << portfolio;
        EXPECT_EQ(cash[portfolio], 1U) << portfolio;
    }
    EXPECT_GT(least_cash, 0.1) << "two names of at most 0.2 each, or three, or one";
}

TEST(TrackReport, CashHasANameThatNoStockHas) {
    Market market = two_index_market(12, 60, 3);
    market.stocks.front() = "cash";
    const TrackResult result = portfolio::run_track(market, small_options(), {"sluice"});
    SLUICE_EXPECT_SAYS(portfolio::holdings_csv(result, market), ",(cash),");
    SLUICE_EXPECT_SAYS(portfolio::track_table(result, market, small_options()), "\n(cash)           A ");
}

TEST(TrackReport, WhatToHoldNextHasALineOfCashForEachIndex) {
    const Market market = two_index_market(12, 60, 1);
    TrackOptions options = small_options();
    options.max_weight = 0.1;
    const TrackResult result = portfolio::run_track(market, options, {"sluice"});
    double invested = 0.0;
    for (const auto& one : result.strategies.front().next) {
        invested += one.index == 1 ? one.weight : 0.0;
    }
    const std::string table = portfolio::track_table(result, market, options);
    SLUICE_EXPECT_SAYS(table, "\ncash             A ");
    std::ostringstream line;
    line << "\ncash             B                " << std::fixed << std::setprecision(1) << 100.0 * (1.0 - invested);
    SLUICE_EXPECT_SAYS(table, line.str());
    SLUICE_EXPECT_SAYS(portfolio::track_json(result, market, options), R"("next_cash": {"A": 0.)");
}

TEST(TrackReport, ThePeriodsOfAPortfolioCompoundToItsAnnualReturn) {
    const Market market = two_index_market(12, 82, 3);  // 52 periods are scored, a year
    const TrackOptions options = small_options();
    const TrackResult result = portfolio::run_track(market, options, {"sluice", "random"});
    std::istringstream lines(portfolio::periods_csv(result, market, options));
    std::string line;
    std::getline(lines, line);
    EXPECT_EQ(line, "strategy,date,index,net,gross,index_return,target_return,traded,cash");
    std::map<std::string, double> wealth;
    std::size_t count = 0;
    while (std::getline(lines, line)) {
        std::istringstream cells(line);
        std::vector<std::string> cell(9);
        for (std::string& one : cell) {
            std::getline(cells, one, ',');
        }
        wealth.try_emplace(cell[2], 1.0).first->second *= 1.0 + std::stod(cell[3]);
        EXPECT_LE(std::stod(cell[3]), std::stod(cell[4])) << "costs";
        EXPECT_EQ(cell[1], "week " + std::to_string(31 + (count / 2)));
        ++count;
    }
    EXPECT_EQ(count, 52U * 2U);
    for (const auto& index : result.strategies.front().performance.indices) {
        EXPECT_NEAR(wealth[index.name] - 1.0, index.net.annual_return, 1e-12) << index.name;
    }
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
}  // namespace sluice::test::track_report_test
