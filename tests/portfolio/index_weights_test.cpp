#include "index_weights.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "sluice/simulate.hpp"

namespace sluice::test::index_weights_test {
namespace {

using portfolio::FewMoments;
using portfolio::index_weights;
using portfolio::ReturnMoments;
using portfolio::TrackOptions;

// An index that is `truth` times the stocks, exactly.
FewMoments moments_of(const std::vector<double>& truth, std::uint64_t seed) {
    NormalSource normal(seed);
    ReturnMoments moments(truth.size(), 1, 1.0);
    std::vector<double> x(truth.size());
    std::vector<std::size_t> all(truth.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    for (int t = 0; t < 200; ++t) {
        const double market = normal.next(0.0, 0.02);
        std::vector<double> y{0.0};
        for (std::size_t j = 0; j < x.size(); ++j) {
            x[j] = market + normal.next(0.0, 0.02);
            y[0] += truth[j] * x[j];
        }
        moments.add(x, y);
    }
    return moments.of(all);
}

double sum(const std::vector<double>& w) {
    return std::accumulate(w.begin(), w.end(), 0.0);
}

TrackOptions without_ridge() {
    TrackOptions options;
    options.model.shrinkage = 0.0;
    return options;
}

TEST(IndexWeights, FindsThePortfolioThatTheIndexIs) {
    const std::vector<double> truth{0.3, 0.2, 0.4};
    const auto w = index_weights(moments_of(truth, 1), 0, without_ridge(), {}, std::nullopt);
    for (std::size_t j = 0; j < truth.size(); ++j) {
        EXPECT_NEAR(w[j], truth[j], 1e-8);  // the ridge that keeps Q definite is 1e-10 of a variance
    }
}

TEST(IndexWeights, MovesAsMuchAsTheIndexWhateverTheRidge) {
    TrackOptions options;
    options.model.shrinkage = 100.0;
    const FewMoments few = moments_of({0.25, 0.25, 0.25}, 2);
    const auto w = index_weights(few, 0, options, {}, std::nullopt);
    double along = 0.0;
    double square = 0.0;
    for (std::size_t a = 0; a < 3; ++a) {
        along += few.M(a, 0) * w[a];
        for (std::size_t b = 0; b < 3; ++b) {
            square += w[a] * few.C(a, b) * w[b];
        }
    }
    EXPECT_NEAR(along / square, 1.0, 1e-9);
}

TEST(IndexWeights, KeepsToBoundsAndSum) {
    const FewMoments few = moments_of({0.9, 0.5, -0.3, 0.2}, 3);
    TrackOptions options = without_ridge();
    const auto free = index_weights(few, 0, options, {}, std::nullopt);
    EXPECT_LE(sum(free), 1.0 + 1e-9);  // no borrowing
    for (const double w : free) {
        EXPECT_GE(w, 0.0);
    }
    options.long_only = false;
    EXPECT_NEAR(index_weights(few, 0, options, {}, std::nullopt)[2], -0.3, 1e-8);
    options.long_only = true;
    options.fully_invested = true;
    options.max_weight = 0.4;
    const auto capped = index_weights(few, 0, options, {}, std::nullopt);
    EXPECT_NEAR(sum(capped), 1.0, 1e-9);
    for (const double w : capped) {
        EXPECT_LE(w, 0.4 + 1e-9);
    }
    options.max_weight = 0.2;  // four times 0.2 is all that can be had
    EXPECT_NEAR(sum(index_weights(few, 0, options, {}, std::nullopt)), 0.8, 1e-9);
}

TEST(IndexWeights, TradesWithinItsBudgetUnlessTheBoundsForbidIt) {
    const FewMoments few = moments_of({0.6, 0.3}, 4);
    const std::vector<double> held{0.1, 0.8};
    TrackOptions options = without_ridge();
    const auto traded = [&](const std::vector<double>& w) {
        return std::abs(w[0] - held[0]) + std::abs(w[1] - held[1]);
    };
    EXPECT_NEAR(traded(index_weights(few, 0, options, held, 0.2)), 0.2, 1e-9);
    EXPECT_NEAR(traded(index_weights(few, 0, options, held, 5.0)), 1.0, 1e-6);
    options.max_weight = 0.4;  // 0.8 must fall by 0.4 at once
    EXPECT_LE(index_weights(few, 0, options, held, 0.1)[1], 0.4 + 1e-9);
}

TEST(IndexWeights, AreNumbersForStocksThatNeverMoved) {
    ReturnMoments moments(2, 1, 0.99);
    moments.add(std::vector<double>{0.0, 0.0}, std::vector<double>{0.01});
    const std::vector<std::size_t> both{0, 1};
    for (const double w : index_weights(moments.of(both), 0, TrackOptions{}, {}, std::nullopt)) {
        EXPECT_EQ(w, 0.0);
    }
    EXPECT_TRUE(index_weights(moments.of({}), 0, TrackOptions{}, {}, std::nullopt).empty());
}

}  // namespace
}  // namespace sluice::test::index_weights_test
