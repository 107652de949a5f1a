#include "random_population.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "small_market.hpp"
#include "strategies.hpp"

namespace sluice::test::random_population_test {
namespace {

using portfolio::Population;
using portfolio::random_names;
using portfolio::random_population;
using portfolio::TrackOptions;

TrackOptions small_options() {
    TrackOptions options;
    options.names = 5;
    options.warmup = 20;
    options.random_portfolios = 12;
    return options;
}

TEST(RandomPopulation, DrawsSoManyDifferentStocksAscending) {
    std::set<std::size_t> seen;
    for (std::size_t number = 0; number < 200; ++number) {
        const auto names = random_names(30, 5, 1, number);
        ASSERT_EQ(names.size(), 5U);
        ASSERT_TRUE(std::ranges::is_sorted(names));
        ASSERT_EQ(std::set<std::size_t>(names.begin(), names.end()).size(), 5U);
        ASSERT_LT(names.back(), 30U);
        seen.insert(names.begin(), names.end());
    }
    EXPECT_EQ(seen.size(), 30U);
    EXPECT_EQ(random_names(30, 5, 1, 7), random_names(30, 5, 1, 7));
    EXPECT_NE(random_names(30, 5, 1, 7), random_names(30, 5, 2, 7));
    EXPECT_EQ(random_names(3, 3, 1, 0), (std::vector<std::size_t>{0, 1, 2}));
}

TEST(RandomPopulation, IsTheSameOnAnyNumberOfThreads) {
    const auto market = two_index_market(20, 60, 1);
    TrackOptions options = small_options();
    const Population one = random_population(market, options);
    options.threads = 4;
    const Population four = random_population(market, options);
    for (std::size_t k = 0; k < 2; ++k) {
        for (const auto& field : portfolio::kFigures) {
            EXPECT_EQ(one.mean.indices[k].net.*field.value, four.mean.indices[k].net.*field.value) << field.name;
            EXPECT_EQ(one.spread[k].*field.value, four.spread[k].*field.value) << field.name;
        }
    }
}

TEST(RandomPopulation, HasTheMeanAndSpreadOfItsPortfolios) {
    const auto market = two_index_market(20, 60, 2);
    const TrackOptions options = small_options();
    double sum = 0.0;
    double square = 0.0;
    for (std::size_t number = 0; number < options.random_portfolios; ++number) {
        const auto strategy =
            portfolio::rls_strategy(random_names(20, 5, options.seed, number), 20, 2, options.model.forgetting);
        const double error = portfolio::measure(portfolio::walk_forward(market, *strategy, options), market, options)
                                 .indices[1]
                                 .net.error_over_variance;
        sum += error;
        square += error * error;
    }
    const auto n = static_cast<double>(options.random_portfolios);
    const Population all = random_population(market, options);
    EXPECT_NEAR(all.mean.indices[1].net.error_over_variance, sum / n, 1e-12);
    EXPECT_NEAR(all.spread[1].error_over_variance, std::sqrt((square / n) - (sum * sum / n / n)), 1e-9);
    EXPECT_LE(all.best[1].error_over_variance, sum / n);
}

TEST(RandomPopulation, ReportsTheErrorOfAThread) {
    const auto market = two_index_market(20, 60, 3);
    TrackOptions options = small_options();
    options.warmup = 60;
    options.threads = 3;
    EXPECT_THROW((void)random_population(market, options), std::invalid_argument);
}

}  // namespace
}  // namespace sluice::test::random_population_test
