#include "learner.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "sluice/simulate.hpp"
#include "usage.hpp"

namespace learner_test {
namespace {

using sluice::StreamModel;
using sluice::StreamOptions;
using sluice::job::Learner;

TEST(Lags, AreParsedAsRangesAndLists) {
    EXPECT_EQ(sluice::job::parse_lags("0:3"), (std::vector<std::size_t>{0, 1, 2, 3}));
    EXPECT_EQ(sluice::job::parse_lags("5,0:2,1"), (std::vector<std::size_t>{0, 1, 2, 5}));
    for (const char* wrong : {"", "a", "3:1", "1,", "-1", "0:1000000"}) {
        EXPECT_THROW((void)sluice::job::parse_lags(wrong), sluice::job::UsageError) << wrong;
    }
}

TEST(Lags, AreNamedAfterTheirColumnAndStackColumnByColumn) {
    EXPECT_EQ(sluice::lagged_names({"u1", "u2"}, std::vector<std::size_t>{0, 3}),
              (std::vector<std::string>{"u1", "u1@-3", "u2", "u2@-3"}));
    sluice::job::LagStack stack(2, {0, 2});
    const auto push = [&](double a, double b) {
        std::vector<double> stacked(stack.width());
        stack.push(std::vector<double>{a, b}, stacked);
        return stacked;
    };
    EXPECT_TRUE(std::isnan(push(1, 10)[1]));
    EXPECT_TRUE(std::isnan(push(2, 20)[3]));
    EXPECT_EQ(push(3, 30), (std::vector<double>{3, 1, 30, 10}));
    EXPECT_EQ(push(4, 40), (std::vector<double>{4, 2, 40, 20}));
}

// Written out by hand: the forecast of row t + 2 from the inputs of row t, by a model that has learnt the labels up to t.
TEST(Learner, WithAHorizonForecastsFromWhatWasKnownThen) {
    constexpr std::size_t kHorizon = 2;
    constexpr std::size_t kRows = 60;
    sluice::FactorStream stream({.inputs = 6, .outputs = 1, .groups = 3}, 4);
    std::vector<std::vector<double>> x(kRows, std::vector<double>(6));
    std::vector<std::vector<double>> y(kRows, std::vector<double>(1));
    for (std::size_t t = 0; t < kRows; ++t) {
        stream.next(x[t], y[t]);
    }
    const StreamOptions options{.components = 2, .keep = {2}};
    Learner learner(6, 1, {.lags = {0}, .horizon = kHorizon}, {.model = options, .tuning = sluice::Tuning::off()});
    StreamModel plain(6, 1, options);
    std::vector<double> forecasts(kRows + kHorizon, std::nan(""));
    for (std::size_t t = 0; t < kRows; ++t) {
        if (t >= kHorizon) {
            plain.learn(x[t - kHorizon], y[t]);
            forecasts[t + kHorizon] = plain.predict(x[t])[0];
        }
        const auto step = learner.step(x[t], y[t]);
        EXPECT_EQ(step.report.has_value(), t >= kHorizon);
        if (std::isnan(forecasts[t])) {
            EXPECT_TRUE(std::isnan(step.predicted[0])) << t;
        } else {
            EXPECT_EQ(step.predicted[0], forecasts[t]) << t;
        }
    }
}

TEST(Learner, PredictsNothingForAnOutputThatWasNeverSeen) {
    Learner learner(2, 2, {}, {.model = {.components = 1, .keep = {1}}, .tuning = sluice::Tuning::off()});
    const double none = std::nan("");
    EXPECT_TRUE(std::isnan(learner.step(std::vector{1.0, 2.0}, std::vector{5.0, none}).predicted[0]));
    const auto second = learner.step(std::vector{2.0, 1.0}, std::vector{6.0, none});
    EXPECT_EQ(second.predicted[0], 5.0);
    EXPECT_TRUE(std::isnan(second.predicted[1]));
    EXPECT_TRUE(std::isnan(learner.step(std::vector{2.0, 1.0}, std::vector{6.0, 9.0}).predicted[1]));
    EXPECT_FALSE(std::isnan(learner.step(std::vector{2.0, 1.0}, std::vector{6.0, 9.0}).predicted[1]));
}

}  // namespace
}  // namespace learner_test
