#include "price_table.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <cmath>

#include "market_files.hpp"

namespace sluice::test::price_table_test {
namespace {

using portfolio::Market;
using portfolio::MarketRequest;
using portfolio::Quote;
using portfolio::read_market;

double stock(const Market& market, const std::string& name, std::size_t period) {
    return market.stock_returns(place(market.stocks, name), period);
}

TEST(PriceTable, PricesBecomeReturnsDatedByTheirEnd) {
    MarketFiles files;
    const Market market = files.read("date,I,a\n2024-01-05,100,10\n2024-01-12,110,10\n2024-01-19,99,5\n");
    EXPECT_EQ(market.dates, (std::vector<std::string>{"2024-01-12", "2024-01-19"}));
    EXPECT_EQ(market.indices, std::vector<std::string>{"I"});
    EXPECT_EQ(market.stocks, std::vector<std::string>{"a"});
    EXPECT_NEAR(market.index_returns(0, 1), -0.1, 1e-15);
    EXPECT_EQ(stock(market, "a", 1), -0.5);
    EXPECT_EQ(market.periods_per_year, 52.0);
    EXPECT_TRUE(market.notes.empty()) << notes_of(market);
}

TEST(PriceTable, ReturnsStayAsTheyAre) {
    MarketFiles files;
    const Market market =
        files.read("date,I,a\n2024-01-05,0.01,0.02\n2024-01-08,-0.01,\n", {.quote = Quote::returns, .index = {"I"}});
    EXPECT_EQ(market.dates.size(), 2U);
    EXPECT_EQ(stock(market, "a", 0), 0.02);
    EXPECT_TRUE(std::isnan(stock(market, "a", 1)));
}

TEST(PriceTable, AGapIsSpannedByTheNextReturnAndSaid) {
    MarketFiles files;
    const Market market =
        files.read("date,I,a\n2024-01-01,1,10\n2024-01-02,1,\n2024-01-03,1,NA\n2024-01-04,1,20\n2024-01-05,1,30\n");
    EXPECT_TRUE(std::isnan(stock(market, "a", 0)) && std::isnan(stock(market, "a", 1)));
    EXPECT_EQ(stock(market, "a", 2), 1.0);
    EXPECT_EQ(stock(market, "a", 3), 0.5);
    SLUICE_EXPECT_SAYS(notes_of(market), "stocks with gaps in between, without a return there");
    SLUICE_EXPECT_SAYS(notes_of(market), "the first one after a gap spans it: 1 (a 2024-01-02)");
}

// What is known at a date must not depend on later rows: the market of the first rows is the beginning of the market of all.
TEST(PriceTable, NothingComesFromTheFuture) {
    const std::vector<std::string> rows = {"2024-01-01,1,10,,7\n", "2024-01-02,2,,4,8\n", "2024-01-03,2,,5,\n",
                                           "2024-01-04,3,11,6,\n", "2024-01-05,3,12,0,\n"};
    MarketFiles files;
    std::string text = "date,I,a,b,c\n";
    for (const std::string& row : rows) {
        text += row;
    }
    const Market all = files.read(text);
    for (std::size_t length = 2; length <= rows.size(); ++length) {
        text = "date,I,a,b,c\n";
        for (std::size_t i = 0; i < length; ++i) {
            text += rows[i];
        }
        const Market part = files.read(text);
        for (std::size_t i = 0; i < part.stocks.size(); ++i) {
            for (std::size_t t = 0; t + 1 < length; ++t) {
                const double now = part.stock_returns(i, t);
                const double later = stock(all, part.stocks[i], t);
                EXPECT_TRUE(now == later || (std::isnan(now) && std::isnan(later))) << part.stocks[i] << " " << t;
            }
        }
    }
}

TEST(PriceTable, StocksThatBeginLateEndEarlyOrNeverTradeAreSaid) {
    MarketFiles files;
    const Market market = files.read(
        "date,I,late,dead,never,once\n2024-01-01,1,,5,,\n2024-01-02,1,,6,,\n2024-01-03,1,7,6,,3\n2024-01-04,1,14,,,\n");
    EXPECT_EQ(market.stocks, (std::vector<std::string>{"late", "dead"}));
    EXPECT_TRUE(std::isnan(stock(market, "late", 1)));
    EXPECT_EQ(stock(market, "late", 2), 1.0);
    EXPECT_EQ(stock(market, "dead", 1), 0.0);
    EXPECT_TRUE(std::isnan(stock(market, "dead", 2)));
    const std::string notes = notes_of(market);
    SLUICE_EXPECT_SAYS(notes, "stocks that never have a return, left out: 2 (never, once)");
    SLUICE_EXPECT_SAYS(notes, "stocks that begin late, without a return before: 1 (late 2024-01-03)");
    SLUICE_EXPECT_SAYS(notes, "stocks that end early, without a return after");
}

TEST(PriceTable, PricesOfZeroOrLessCountAsMissingAndAreSaid) {
    MarketFiles files;
    const Market market = files.read(
        "date,I,a,b,c,d,e\n2024-01-01,1,10,1,1,1,1\n2024-01-02,1,0,1,1,1,1\n2024-01-03,1,-3,1,1,1,1\n"
        "2024-01-04,1,5,1,1,1,1\n");
    EXPECT_TRUE(std::isnan(stock(market, "a", 0)) && std::isnan(stock(market, "a", 1)));
    EXPECT_EQ(stock(market, "a", 2), -0.5);
    SLUICE_EXPECT_SAYS(notes_of(market),
                       "prices of zero or less, which count as missing: 2 (a 2024-01-02, a 2024-01-03)");
}

TEST(PriceTable, APeriodWithoutAnIndexIsJoinedWithTheNextAndSaid) {
    MarketFiles files;
    const Market market = files.read(
        "date,I,a\n2023-12-29,,1\n2024-01-01,100,10\n2024-01-02,,15\n2024-01-03,0,16\n2024-01-04,110,20\n2024-01-05,,"
        "21\n");
    EXPECT_EQ(market.dates, std::vector<std::string>{"2024-01-04"});
    EXPECT_NEAR(market.index_returns(0, 0), 0.1, 1e-15);
    EXPECT_EQ(stock(market, "a", 0), 1.0) << "over the same time as the index";
    SLUICE_EXPECT_SAYS(
        notes_of(market),
        "periods that end without a price of every index, each joined with the next, whose returns span both: 2 (");
    SLUICE_EXPECT_SAYS(notes_of(market), "rows before the first or after the last that has every index, left out: 2 (");
}

TEST(PriceTable, AGapInAnIndexReturnIsRefusedWithARemedy) {
    MarketFiles files;
    const MarketRequest returns{.quote = Quote::returns, .index = {"I"}};
    SLUICE_EXPECT_SAYS(files.trouble("date,I,a\n2024-01-01,.1,.1\n2024-01-02,,.1\n2024-01-03,.1,.1\n", returns),
                       "the return of index I is missing at 2024-01-02");
    SLUICE_EXPECT_SAYS(files.trouble("date,I,a\n2024-01-01,.1,.1\n2024-01-02,-1.2,.1\n2024-01-03,.1,.1\n", returns),
                       "give prices");
}

TEST(PriceTable, ReturnsBelowMinusOneCountAsMissingAndTotalLossIsSaid) {
    MarketFiles files;
    const Market market = files.read("date,I,a,b\n2024-01-01,.1,-1.5,.1\n2024-01-02,.1,.1,-1\n2024-01-03,.1,.1,.1\n",
                                     {.quote = Quote::returns, .index = {"I"}});
    EXPECT_TRUE(std::isnan(stock(market, "a", 0)));
    EXPECT_EQ(stock(market, "b", 1), -1.0);
    SLUICE_EXPECT_SAYS(notes_of(market), "returns below -100 %, which count as missing: 1 (a 2024-01-01)");
    SLUICE_EXPECT_SAYS(notes_of(market), "returns of -100 %, all was lost, kept as they are: 1 (b 2024-01-02)");
}

TEST(PriceTable, TheSameRowTwiceCountsOnceAndADifferentOneIsRefused) {
    MarketFiles files;
    const Market market = files.read("date,I,a\n2024-01-01,1,10\n2024-01-02,2,\n2024-01-02,2,\n2024-01-03,3,30\n");
    EXPECT_EQ(market.dates.size(), 2U);
    SLUICE_EXPECT_SAYS(notes_of(market), "rows that repeat a date with the same numbers");
    SLUICE_EXPECT_SAYS(notes_of(market), "2024-01-02, line 4");
    const std::string said = files.trouble("date,I,a\n2024-01-01,1,10\n2024-01-02,2,20\n2024-01-02,2,21\n");
    SLUICE_EXPECT_SAYS(said, "prices.csv, line 4");
    SLUICE_EXPECT_SAYS(said, "occurs twice, with different numbers");
}

TEST(PriceTable, DatesMustAscend) {
    MarketFiles files;
    const std::string said = files.trouble("date,I,a\n2024-01-02,1,1\n2024-01-01,1,1\n2024-01-03,1,1\n");
    SLUICE_EXPECT_SAYS(said, "line 3");
    SLUICE_EXPECT_SAYS(said, "comes after 2024-01-02: dates must ascend. Sort the rows");
    SLUICE_EXPECT_SAYS(files.trouble("date,I,a\n2024-01-03,1,1\n2024-01-02,1,1\n2024-01-01,1,1\n"),
                       "The newest row comes first here");
}

TEST(PriceTable, WhatIsNotANumberIsReportedWithLineAndColumn) {
    MarketFiles files;
    const std::string said = files.trouble("date,I,a\n2024-01-02,1,1\n2024-01-03,1,#REF!\n");
    SLUICE_EXPECT_SAYS(said, "prices.csv, line 3");
    SLUICE_EXPECT_SAYS(said, "column a, value \"#REF!\"");
    EXPECT_EQ(files.remedies("date,I,a\n2024-01-02,1,1\n2024-01-03,1,halted\n"),
              (io::Remedies{io::Remedy::ignore_column, io::Remedy::name_date_column, io::Remedy::mark_missing}));
    const std::string infinite = "date,I,a\n2024-01-02,1,1\n2024-01-03,1,inf\n";
    SLUICE_EXPECT_SAYS(files.trouble(infinite), "is infinite");
    EXPECT_EQ(files.remedies(infinite), io::Remedies{io::Remedy::mark_missing}) << "no row of prices can be skipped";
}

TEST(PriceTable, AFileOfReturnsIsNotTakenForPricesNorTheOtherWayRound) {
    MarketFiles files;
    const std::string fractions = "date,I,a\n2024-01-01,.1,-.1\n2024-01-02,-.1,.1\n";
    SLUICE_EXPECT_SAYS(files.trouble(fractions), "perhaps they are returns");
    EXPECT_EQ(files.remedies(fractions), io::Remedies{io::Remedy::give_as_returns});
    const MarketRequest returns{.quote = Quote::returns, .index = {"I"}};
    SLUICE_EXPECT_SAYS(files.trouble("date,I,a\n2024-01-01,1.1,-1.1\n2024-01-02,-.9,1.7\n", returns), "0.01 for 1 %");
}

TEST(PriceTable, IndicesAreNamedOrAskedFor) {
    MarketFiles files;
    const std::string text = "date,SP500,a\n2024-01-01,1,1\n2024-01-02,1,1\n";
    SLUICE_EXPECT_SAYS(files.trouble(text, {}), "no index is given. The columns are SP500, a");
    EXPECT_EQ(files.remedies(text, {}), io::Remedies{io::Remedy::name_indices});
    SLUICE_EXPECT_SAYS(files.trouble(text, {.index = {"SP50"}}), "Did you mean SP500?");
    SLUICE_EXPECT_SAYS(files.trouble(text, {.index = {"SP500", "a"}}), "there is no stock besides the indices");
    SLUICE_EXPECT_SAYS(files.trouble(text, {.index = {"SP500"}, .date = "day"}), "date = day");
}

TEST(PriceTable, DatesAreReadAsPeopleWriteThem) {
    MarketFiles files;
    const auto dates = [&](const std::string& first, const std::string& second) {
        return files.read("date,I,a\n" + first + ",1,1\n" + second + ",1,1\n").dates.front();
    };
    EXPECT_EQ(dates("2024/1/30", "2024/1/31"), "2024-01-31");
    EXPECT_EQ(dates("20240130", "20240131"), "2024-01-31");
    EXPECT_EQ(dates("30.1.2024", "31.1.2024"), "2024-01-31");
    EXPECT_EQ(dates("30/1/2024", "1/2/2024"), "2024-02-01");
    EXPECT_EQ(dates("1/30/2024", "2/1/2024"), "2024-02-01");
    EXPECT_EQ(dates("2024-01", "2024-02"), "2024-02");
    EXPECT_EQ(dates("2024-01-30 09:30", "2024-01-30 10:00:00"), "2024-01-30T10:00:00");
    EXPECT_EQ(dates("1", "2.5"), "2.5");
    const auto trouble = [&](const std::string& first, const std::string& second) {
        return files.trouble("date,I,a\n" + first + ",1,1\n" + second + ",1,1\n");
    };
    SLUICE_EXPECT_SAYS(trouble("1/2/2024", "2/2/2024"), "may be day/month or month/day");
    SLUICE_EXPECT_SAYS(trouble("2024-02-29", "2024-02-30"), "is not a date");
    SLUICE_EXPECT_SAYS(trouble("2024-02-29", ""), "every row needs one");
    EXPECT_EQ(files.remedies("date,I,a\nsoon,1,1\nlater,1,1\n"), io::Remedies{io::Remedy::name_date_column});
}

TEST(PriceTable, PeriodsInAYearComeFromTheDates) {
    MarketFiles files;
    std::string daily = "date,I,a\n";
    std::string monthly = daily;
    for (int month = 1; month <= 12; ++month) {
        const std::string begin = "2024-" + std::string(month < 10 ? "0" : "") + std::to_string(month);
        monthly += begin + ",1,1\n";
        for (int day = 1; day <= 28; ++day) {
            if (day % 7 < 5) {
                daily += begin + "-" + (day < 10 ? "0" : "") + std::to_string(day) + ",1,1\n";
            }
        }
    }
    EXPECT_EQ(files.read(daily).periods_per_year, 252.0);
    EXPECT_EQ(files.read(monthly).periods_per_year, 12.0);
    EXPECT_EQ(files.read(monthly, {.index = {"I"}, .periods_per_year = 13.0}).periods_per_year, 13.0);
    const Market counted = files.read("I,a\n1,2\n1,3\n", {.index = {"I"}, .date = "none"});
    EXPECT_EQ(counted.periods_per_year, 52.0);
    EXPECT_EQ(counted.dates, std::vector<std::string>{"week 1"});
    SLUICE_EXPECT_SAYS(notes_of(counted), "periods_per_year is assumed to be 52");
    SLUICE_EXPECT_SAYS(files.trouble(monthly, {.index = {"I"}, .periods_per_year = 0.0}), "above 0");
}

TEST(PriceTable, FilesJoinByDateAndTheDifferenceIsSaid) {
    MarketFiles files;
    const std::string first = files.add("us.csv", "date,US,a\n2024-01-01,1,1\n2024-01-02,2,2\n2024-01-04,4,4\n");
    const std::string second = files.add("jp.csv", "Day;JP;b\n1.1.2024;1;1\n3.1.2024;3;3\n4.1.2024;8;8\n");
    const Market market = read_market({.files = {first, second}, .index = {"US", "JP"}});
    EXPECT_EQ(market.dates, std::vector<std::string>{"2024-01-04"}) << "both indices have a price on two days";
    EXPECT_EQ(market.index_returns(0, 0), 3.0);
    EXPECT_EQ(market.index_returns(1, 0), 7.0);
    EXPECT_EQ(stock(market, "a", 0), 3.0);
    SLUICE_EXPECT_SAYS(notes_of(market), "us.csv: has 3 of the 4 dates of all files");
    SLUICE_EXPECT_SAYS(
        notes_of(market),
        "periods that end without a price of every index, each joined with the next, whose returns span both: 2 (");
    const std::string far = files.add("far.csv", "date,JP,b\n2030-01-01,1,1\n2030-01-02,2,2\n");
    SLUICE_EXPECT_SAYS(MarketFiles::refused({.files = {first, far}, .index = {"US", "JP"}}),
                       "Do the files overlap in time?");
    const std::string again = files.add("again.csv", "date,JP,a\n2030-01-01,1,1\n2030-01-02,2,2\n");
    SLUICE_EXPECT_SAYS(MarketFiles::refused({.files = {first, again}, .index = {"US"}}), "a is in ");
}

TEST(PriceTable, GzipIsReadAndColumnsAreLeftOut) {
    Scratch scratch;
    const std::string path = scratch.path("prices.csv.gz");
    const std::string text = "date,sector,I,a,b\n2024-01-01,x,1,1,1\n2024-01-02,y,1,2,1\n";
    gzFile file = gzopen(path.c_str(), "wb");
    gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
    gzclose(file);
    const Market market = read_market({.files = {path}, .index = {"I"}, .ignore = {"sec*", "b"}});
    EXPECT_EQ(market.stocks, std::vector<std::string>{"a"});
    EXPECT_EQ(stock(market, "a", 0), 1.0);
}

TEST(PriceTable, WildMovesAndPricesThatStandStillAreSaid) {
    MarketFiles files;
    std::string text = "date,I,still,wild\n";
    for (int i = 1; i <= 28; ++i) {
        text += std::to_string(i) + ",1,5," + (i == 10 ? "20" : "10") + "\n";
    }
    const Market market = files.read(text);
    SLUICE_EXPECT_SAYS(notes_of(market),
                       "moves of a stock by more than 50 % in one period, kept as they are: 1 (wild 10: +100 %)");
    SLUICE_EXPECT_SAYS(notes_of(market), "26 periods or more in a row, thinly traded: 1 (still: 27)");
}

TEST(PriceTable, AnEmptyFileIsRefused) {
    MarketFiles files;
    EXPECT_NE(files.trouble(""), "");
    EXPECT_NE(files.trouble("date,I,a\n"), "");
    EXPECT_NE(files.trouble("date,I,a\n2024-01-01,1,1\n"), "");
    EXPECT_NE(files.trouble("date,I,a\n2024-01-01,,\n"), "");
    EXPECT_NE(files.trouble("date\n2024-01-01\n"), "");
    EXPECT_NE(files.trouble("date,I,a\n2024-01-01,1e308,1e-300\n2024-01-02,1,1e300\n"), "");
}

}  // namespace
}  // namespace sluice::test::price_table_test
