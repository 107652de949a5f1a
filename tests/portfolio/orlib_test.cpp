#include "orlib.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "market_files.hpp"

namespace sluice::test::orlib_test {
namespace {

using portfolio::Market;
using portfolio::read_market;

constexpr const char* kSmall = "2\n3 \n 100 110 99\n 99\n 10 20\n 10 10 5 5\n 5 6\n";

TEST(OrLib, LineBreaksMeanNothing) {
    MarketFiles files;
    const Market market = read_market({.files = {files.add("small.txt", kSmall)}});
    EXPECT_EQ(market.indices, std::vector<std::string>{"small"});
    EXPECT_EQ(market.stocks, (std::vector<std::string>{"small.1", "small.2"}));
    EXPECT_EQ(market.dates, (std::vector<std::string>{"week 1", "week 2", "week 3"}));
    EXPECT_NEAR(market.index_returns(0, 0), 0.1, 1e-15);
    EXPECT_NEAR(market.index_returns(0, 1), -0.1, 1e-15);
    EXPECT_EQ(market.index_returns(0, 2), 0.0);
    EXPECT_EQ(market.stock_returns(0, 0), 1.0);
    EXPECT_EQ(market.stock_returns(0, 1), -0.5);
    EXPECT_NEAR(market.stock_returns(1, 2), 0.2, 1e-15);
    EXPECT_EQ(market.periods_per_year, 52.0);
    const Market again = read_market({.files = {files.add("small.txt", "2 3 100 110 99 99 10 20 10 10 5 5 5 6")}});
    EXPECT_EQ(again.stock_returns, market.stock_returns) << "on one line";
}

TEST(OrLib, FilesJoinByWeek) {
    MarketFiles files;
    const Market market = read_market({.files = {files.add("a.txt", kSmall), files.add("b.txt", kSmall)}});
    EXPECT_EQ(market.indices, (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(market.stocks, (std::vector<std::string>{"a.1", "a.2", "b.1", "b.2"}));
    EXPECT_EQ(market.stock_returns(2, 0), market.stock_returns(0, 0));

    const Market one = read_market({.files = {files.add("a.txt", kSmall), files.add("b.txt", kSmall)}, .index = {"b"}});
    EXPECT_EQ(one.indices, std::vector<std::string>{"b"});
    EXPECT_EQ(one.stocks.size(), 4U) << "an index is not for sale";
    SLUICE_EXPECT_SAYS(notes_of(one), "a: an index that was not asked for: left out");
}

TEST(OrLib, FilesOfDifferentLengthAreRefusedWithARemedy) {
    MarketFiles files;
    const std::string said =
        MarketFiles::refused({.files = {files.add("a.txt", kSmall), files.add("b.txt", "1 1 5 6 7 8")}});
    SLUICE_EXPECT_SAYS(said, "a.txt has 4 rows");
    SLUICE_EXPECT_SAYS(said, "b.txt has 2");
    SLUICE_EXPECT_SAYS(said, "1 to 5 go together");
    SLUICE_EXPECT_SAYS(MarketFiles::refused({.files = {files.add("a.txt", kSmall), files.add("a.txt", kSmall)}}),
                       "rename one of them");
}

TEST(OrLib, ASeriesMoreThanTheHeaderSaysIsLeftOutAndSaid) {
    MarketFiles files;
    const Market market = read_market({.files = {files.add("more.txt", std::string(kSmall) + "7 7 7 8\n")}});
    EXPECT_EQ(market.stocks.size(), 2U);
    SLUICE_EXPECT_SAYS(notes_of(market),
                       "the header says 2 stocks and the file has 3 series besides the index: the last is");
}

TEST(OrLib, TooFewNumbersOrSomeLeftOverAreRefused) {
    MarketFiles files;
    for (const char* text : {"2 3 100 110 99 99 10 20 10 10 5 5 5", "2 3 100 110 99 99 10 20 10 10",
                             "2 3 100 110 99 99 10 20 10 10 5 5 5 6 7"}) {
        const std::string said = MarketFiles::refused({.files = {files.add("cut.txt", text)}});
        SLUICE_EXPECT_SAYS(said, "cut.txt: the header says 2 stocks and 3 periods, so 3 series of 4 prices");
        SLUICE_EXPECT_SAYS(said, "fetch it again");
    }
}

TEST(OrLib, AWordThatIsNotANumberIsReportedWithLineAndColumn) {
    MarketFiles files;
    const std::string said =
        MarketFiles::refused({.files = {files.add("bad.txt", "2 3\n100 110 99 99\n10 2o 10 10\n5 5 5 6")}});
    SLUICE_EXPECT_SAYS(said, "bad.txt, line 3 (byte 21), column 4, value \"2o\": is not a number");
    for (const char* word : {"nan", "inf", "1e999", "1,5"}) {
        EXPECT_NE(MarketFiles::refused({.files = {files.add("bad.txt", std::string("1 1 5 6 7 ") + word)}}), "")
            << word;
    }
    SLUICE_EXPECT_SAYS(MarketFiles::refused({.files = {files.add("bad.txt", "2 0 1 2")}}),
                       "cannot be the number of periods");
    SLUICE_EXPECT_SAYS(MarketFiles::refused({.files = {files.add("bad.txt", "2 99999999 1 2")}}), "number of periods");
}

TEST(OrLib, APriceOfZeroIsAGapAndSaid) {
    MarketFiles files;
    const Market market = read_market({.files = {files.add("zero.txt", "2 3 100 110 99 99 10 0 20 20 5 5 5 6")}});
    EXPECT_TRUE(std::isnan(market.stock_returns(0, 0)));
    EXPECT_EQ(market.stock_returns(0, 1), 1.0) << "spans the gap";
    SLUICE_EXPECT_SAYS(notes_of(market), "prices of zero or less, which count as missing: 1 (zero.1 week 1)");
}

}  // namespace
}  // namespace sluice::test::orlib_test
