// `sluice bench intervals` on short streams, and its methods on streams whose answer is known.
#include "interval_coverage.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "sluice/simulate.hpp"

namespace sluice::bench::interval_coverage_test {
namespace {

PredictedStream normal_errors(std::size_t rows) {
    PredictedStream stream{.name = "normal", .warmup = 100};
    NormalSource normal(5);
    for (std::size_t t = 0; t < rows; ++t) {
        stream.predicted.push_back(7.0);
        stream.observed.push_back(t % 50 == 3 ? std::numeric_limits<double>::quiet_NaN() : normal.next(7.0, 2.0));
    }
    return stream;
}

TEST(BenchIntervals, EveryMethodContainsNineInTenNormalErrorsAndIsAtMostThreeFifthsWiderThanNeeded) {
    const auto stream = normal_errors(3000);
    auto methods = other_intervals(0.9);
    methods.push_back(our_intervals(0.9));
    for (const NamedMethod& method : methods) {
        const auto figures = measure_intervals(stream, 0.9, *method.make());
        EXPECT_EQ(figures.rows, 2842U) << method.name;
        EXPECT_NEAR(figures.coverage, 0.9, 0.02) << method.name;
        EXPECT_TRUE(figures.finite) << method.name;
        EXPECT_GE(figures.width, 0.95 * 2.0 * 1.645 * 2.0) << method.name;
        // ACI with a large gamma and conformal PID pay for their swings.
        EXPECT_LE(figures.width, 1.6 * 2.0 * 1.645 * 2.0) << method.name;
    }
}

TEST(BenchIntervals, TheWorstWindowIsTheOneFarthestFromWhatWasAsked) {
    struct Fixed final : IntervalMethod {
        std::optional<Interval> interval(double predicted) override {
            return Interval{.low = predicted - 1.0, .high = predicted + 1.0};
        }
        void add(double /*predicted*/, double /*observed*/, const std::optional<Interval>& /*given*/) override {}
    };
    PredictedStream stream{.name = "fixed"};
    for (std::size_t t = 0; t < 1500; ++t) {
        stream.predicted.push_back(0.0);
        stream.observed.push_back(t >= 700 && t < 800 ? 2.0 : 0.5);
    }
    Fixed method;
    const auto figures = measure_intervals(stream, 0.9, method);
    EXPECT_NEAR(figures.coverage, 1400.0 / 1500.0, 1e-12);
    ASSERT_TRUE(figures.worst_window.has_value());
    EXPECT_EQ(*figures.worst_window, 1.0);  // 0.1 from 0.9, as 0.8 is; the first one counts
    EXPECT_NEAR(figures.width, 2.0, 1e-12);
    stream.observed.resize(400);
    EXPECT_FALSE(measure_intervals(stream, 0.9, method).worst_window.has_value());
}

TEST(BenchIntervals, EveryWindowOfAFactorStreamWithBreaksIsWithinTheGoalAndThatOfTheOthersIsNot) {
    std::vector<PredictedStream> streams;
    for (const BreakingFactors& kind : {breaking_factors().front(), breaking_factors().back()}) {
        for (auto& stream : predict_factors(kind, 1600, 3)) {
            streams.push_back(std::move(stream));
        }
    }
    for (const double coverage : {0.5, 0.9, 0.99}) {
        const auto ours = summarize(our_intervals(coverage), streams, coverage);
        EXPECT_EQ(ours.streams, 4U);
        EXPECT_EQ(ours.beyond_window, 0U) << coverage;
        EXPECT_LE(ours.window_off, 0.02) << coverage;
        EXPECT_LE(ours.off, 0.005) << coverage;
        EXPECT_TRUE(ours.finite);
        EXPECT_LE(ours.most_width, coverage > 0.95 ? 2.0 : 1.2) << coverage;
    }
    const auto window = summarize(other_intervals(0.9)[2], streams, 0.9);
    EXPECT_EQ(window.method, "window of 250");
    EXPECT_GT(window.beyond_window, 0U);
    const auto gaussian = summarize(gaussian_intervals(0.9), streams, 0.9);
    EXPECT_EQ(gaussian.beyond_window, 4U);
    EXPECT_EQ(gaussian.width, 1.0);
    EXPECT_NE(summaries_text(std::vector{gaussian}, 0.9, "four streams").find("asked 0.9, four streams"),
              std::string::npos);
    EXPECT_NE(intervals_text(streams, 0.9).find("breaks every 250, drift 0, seed 3 2"), std::string::npos);
}

}  // namespace
}  // namespace sluice::bench::interval_coverage_test
