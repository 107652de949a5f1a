#include "return_moments.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "small_market.hpp"

namespace sluice::test::return_moments_test {
namespace {

using portfolio::FewMoments;
using portfolio::ReturnMoments;

TEST(ReturnMoments, AreTheWeightedMeansOverAllPeriods) {
    constexpr double kLambda = 0.9;
    constexpr std::size_t kPeriods = 25;
    auto market = two_index_market(6, kPeriods, 1);
    market.stock_returns(4, 10) = kNoTrade;
    ReturnMoments moments(6, 2, kLambda);
    for (std::size_t t = 0; t < kPeriods; ++t) {
        moments.add(market.stock_returns.column(t), market.index_returns.column(t));
    }
    const std::vector<std::size_t> some{4, 1, 5};
    const FewMoments few = moments.of(some);
    const auto stock = [&](std::size_t j, std::size_t t) {
        const double r = market.stock_returns(j, t);
        return std::isnan(r) ? 0.0 : r;
    };
    double weight = 0.0;
    for (std::size_t t = 0; t < kPeriods; ++t) {
        weight += std::pow(kLambda, static_cast<double>(kPeriods - 1 - t));
    }
    EXPECT_NEAR(few.weight, weight, 1e-12);
    const auto mean = [&](auto product) {
        double sum = 0.0;
        for (std::size_t t = 0; t < kPeriods; ++t) {
            sum += std::pow(kLambda, static_cast<double>(kPeriods - 1 - t)) * product(t);
        }
        return sum / weight;
    };
    constexpr double kRounding = 1e-16;  // of numbers near 1e-3
    for (std::size_t a = 0; a < 3; ++a) {
        for (std::size_t b = 0; b < 3; ++b) {
            EXPECT_NEAR(few.C(a, b), mean([&](std::size_t t) { return stock(some[a], t) * stock(some[b], t); }),
                        kRounding);
        }
        EXPECT_NEAR(few.M(a, 1), mean([&](std::size_t t) { return stock(some[a], t) * market.index_returns(1, t); }),
                    kRounding);
    }
    EXPECT_NEAR(few.v[0], mean([&](std::size_t t) { return std::pow(market.index_returns(0, t), 2); }), kRounding);
    EXPECT_EQ(moments.traded_share(1), 1.0);
    EXPECT_NEAR(moments.traded_share(4), 1.0 - (std::pow(kLambda, 14.0) / weight), 1e-12);
}

}  // namespace
}  // namespace sluice::test::return_moments_test
