// The markets of $SLUICE_DATA as they are, against what its README.md states.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <numeric>
#include <string>
#include <vector>

#include "market_files.hpp"
#include "read_market.hpp"
#include "splits.hpp"

namespace sluice::test::real_markets_test {
namespace {

using portfolio::Market;
using portfolio::MarketRequest;
using portfolio::Quote;

std::vector<std::string> real(const std::vector<std::string>& files) {
    const char* data = std::getenv("SLUICE_DATA");  // NOLINT(concurrency-mt-unsafe)
    std::vector<std::string> out;
    for (const std::string& file : files) {
        const auto path = std::filesystem::path(data == nullptr ? "" : data) / file;
        if (data == nullptr || !std::filesystem::exists(path)) {
            return {};
        }
        out.push_back(path.string());
    }
    return out;
}

#define SLUICE_REAL_MARKET(market, request)                                                \
    if ((request).files.empty()) {                                                         \
        GTEST_SKIP() << "the data is not here: set SLUICE_DATA to the folder that has it"; \
    }                                                                                      \
    const Market market = portfolio::read_market(request)

double mean(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double correlation(const std::vector<double>& a, const std::vector<double>& b) {
    const double ma = mean(a);
    const double mb = mean(b);
    double ab = 0.0;
    double aa = 0.0;
    double bb = 0.0;
    for (std::size_t t = 0; t < a.size(); ++t) {
        ab += (a[t] - ma) * (b[t] - mb);
        aa += (a[t] - ma) * (a[t] - ma);
        bb += (b[t] - mb) * (b[t] - mb);
    }
    return ab / std::sqrt(aa * bb);
}

std::vector<double> index_of(const Market& market, std::size_t k) {
    std::vector<double> out;
    for (std::size_t t = 0; t < market.dates.size(); ++t) {
        out.push_back(market.index_returns(k, t));
    }
    return out;
}

std::vector<double> equal_weights(const Market& market, std::size_t from, std::size_t to) {
    std::vector<double> out;
    for (std::size_t t = 0; t < market.dates.size(); ++t) {
        double sum = 0.0;
        for (std::size_t i = from; i < to; ++i) {
            sum += market.stock_returns(i, t);
        }
        out.push_back(sum / static_cast<double>(to - from));
    }
    return out;
}

double growth(const Market& market, std::size_t k) {
    double value = 1.0;
    for (std::size_t t = 0; t < market.dates.size(); ++t) {
        value *= 1.0 + market.index_returns(k, t);
    }
    return value;
}

TEST(RealMarkets, ThePapersTwoIndicesAreWhatIsKnownOfThem) {
    const MarketRequest request{.files = real({"indtrack/indtrack4.txt", "indtrack/indtrack5.txt"})};
    SLUICE_REAL_MARKET(market, request);
    EXPECT_EQ(market.indices, (std::vector<std::string>{"indtrack4", "indtrack5"}));
    ASSERT_EQ(market.stocks.size(), 323U);
    ASSERT_EQ(market.dates.size(), 290U);
    EXPECT_EQ(market.stocks[98], "indtrack5.1");
    EXPECT_NEAR(mean(index_of(market, 0)), 0.003112, 5e-7);
    EXPECT_NEAR(mean(index_of(market, 1)), -0.000171, 5e-7);
    EXPECT_NEAR(correlation(index_of(market, 0), index_of(market, 1)), 0.249, 5e-4);
    EXPECT_NEAR(correlation(index_of(market, 0), equal_weights(market, 0, 98)), 0.938, 5e-4);
    EXPECT_NEAR(correlation(index_of(market, 1), equal_weights(market, 98, 323)), 0.986, 5e-4);
    EXPECT_NEAR(growth(market, 0), 577.25 / 242.44, 1e-4);
    EXPECT_NEAR(growth(market, 1), 21730.10 / 25677.77, 1e-6);
    SLUICE_EXPECT_SAYS(notes_of(market), "moves of a stock by more than 50 % in one period, kept as they are: 1 (");
    SLUICE_EXPECT_SAYS(notes_of(market), "indtrack5.40");
}

TEST(RealMarkets, TheOtherFilesHaveTheirShapes) {
    struct Shape {
        const char* file;
        std::size_t stocks;
        double growth;
    };
    for (const Shape& shape : {Shape{"indtrack/indtrack1.txt", 31, 25532.52 / 8749.32},
                               Shape{"indtrack/indtrack6.txt", 457, 1067.66 / 724.59},
                               Shape{"indtrack/indtrack7.txt", 1318, 1211.77 / 854.20}}) {
        const MarketRequest request{.files = real({shape.file})};
        SLUICE_REAL_MARKET(market, request);
        EXPECT_EQ(market.stocks.size(), shape.stocks) << shape.file;
        EXPECT_EQ(market.dates.size(), 290U);
        EXPECT_NEAR(growth(market, 0), shape.growth, 1e-4) << shape.file;
        for (std::size_t i = 0; i < market.stocks.size(); ++i) {
            for (std::size_t t = 0; t < 290; ++t) {
                ASSERT_TRUE(std::isfinite(market.stock_returns(i, t)));
            }
        }
    }
}

TEST(RealMarkets, TheHeaderOfFile7DisagreesAndThatIsSaid) {
    const MarketRequest request{.files = real({"indtrack/indtrack7.txt"})};
    SLUICE_REAL_MARKET(market, request);
    const std::string notes = notes_of(market);
    SLUICE_EXPECT_SAYS(notes, "the header says 1318 stocks and the file has 1319 series besides the index");
    SLUICE_EXPECT_SAYS(notes, "moves of a stock by more than 50 %");
    SLUICE_EXPECT_SAYS(notes, "thinly traded");
}

TEST(RealMarkets, DailyReturnsOfTheSP500) {
    const MarketRequest request{
        .files = real({"sp500_daily_2006_2012/sp500_returns.csv"}), .quote = Quote::returns, .index = {"SP500"}};
    SLUICE_REAL_MARKET(market, request);
    EXPECT_EQ(market.stocks.size(), 276U);
    EXPECT_EQ(market.dates.size(), 1761U);
    EXPECT_EQ(market.periods_per_year, 252.0);
    EXPECT_NEAR(correlation(index_of(market, 0), equal_weights(market, 0, 276)), 0.987, 5e-4);
}

// A split of that ratio in every fourth stock, each in a period of its own, eight times: how many are found, as a share.
double share_found(const Market& real_market, double ratio) {
    double put_in = 0.0;
    double found = 0.0;
    for (std::size_t round = 0; round < 8; ++round) {
        Market market = real_market;
        std::vector<std::size_t> period(market.stocks.size(), 0);
        for (std::size_t j = round % 4; j < market.stocks.size(); j += 4) {
            period[j] = 60 + (((j * 37) + (round * 101)) % (market.dates.size() - 60));
            double& r = market.stock_returns(j, period[j]);
            r = ((1.0 + r) / ratio) - 1.0;
            put_in += 1.0;
        }
        for (const portfolio::Split& split : find_splits(market)) {
            const bool right = split.period == period[split.stock] && std::abs(split.ratio() - ratio) < 1e-9;
            found += right ? 1.0 : 0.0;
        }
    }
    return found / put_in;
}

// The figures of docs/tracking.md. Prices alone cannot tell a fall by half from a split: what is found in the market as it
// is, such as CVH on 2008-10-22, was mostly a true fall.
TEST(RealMarkets, SplitsAreFoundAndFewTrueFallsAreTakenForOne) {
    MarketRequest daily{
        .files = real({"sp500_daily_2006_2012/sp500_returns.csv"}), .quote = Quote::returns, .index = {"SP500"}};
    SLUICE_REAL_MARKET(days, daily);
    EXPECT_EQ(find_splits(days).size(), 1U) << "of 486,036 returns";
    EXPECT_NEAR(share_found(days, 2.0), 0.94, 0.01);
    EXPECT_NEAR(share_found(days, 3.0), 0.99, 0.01);
    EXPECT_NEAR(share_found(days, 0.1), 0.99, 0.01);
    EXPECT_NEAR(share_found(days, 1.5), 0.89, 0.01);
    MarketRequest weekly{.files = real({"indtrack/indtrack6.txt"})};
    SLUICE_REAL_MARKET(weeks, weekly);
    EXPECT_LE(find_splits(weeks).size(), 8U) << "of 132,530 returns";
    EXPECT_NEAR(share_found(weeks, 2.0), 0.68, 0.01);
    EXPECT_NEAR(share_found(weeks, 3.0), 0.92, 0.01);
    EXPECT_NEAR(share_found(weeks, 0.1), 0.92, 0.01);
    EXPECT_NEAR(share_found(weeks, 1.5), 0.23, 0.01);
}

}  // namespace
}  // namespace sluice::test::real_markets_test
