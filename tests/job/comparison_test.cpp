#include "comparison.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "sluice/error.hpp"
#include "sluice/simulate.hpp"
#include "state.hpp"

namespace comparison_test {
namespace {

using sluice::job::Comparison;

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kOutputs = 3;

struct Rows {
    std::vector<std::vector<double>> observed;
    std::vector<std::vector<double>> predicted;
};

// Random walks with gaps, around levels of their own; the model knows nothing of the first rows.
Rows rows_with_gaps(std::size_t rows, double unit) {
    sluice::NormalSource noise(5);
    Rows made;
    std::vector<double> level = {3.0, -100.0, 0.0};
    for (std::size_t t = 0; t < rows; ++t) {
        std::vector<double> y(kOutputs);
        std::vector<double> predicted(kOutputs);
        for (std::size_t j = 0; j < kOutputs; ++j) {
            level[j] += noise.next();
            predicted[j] = t < 4 + (3 * j) ? kMissing : unit * (level[j] + noise.next());
            y[j] = std::abs(noise.next()) < 0.4 ? kMissing : unit * level[j];
        }
        made.observed.push_back(y);
        made.predicted.push_back(predicted);
    }
    return made;
}

struct Slow {
    std::size_t count = 0;
    double model = 0.0;  // rmse
    double mean = 0.0;
    double last_value = 0.0;
};

// From the definitions, with all rows at hand. `ahead` rows lie between a forecast and its row.
Slow slow_comparison(const Rows& rows, std::size_t j, std::size_t ahead, std::size_t warmup, double unit) {
    using Wide = long double;
    Wide count = 0.0L;
    Wide model = 0.0L;
    Wide mean = 0.0L;
    Wide last = 0.0L;
    for (std::size_t t = warmup; t < rows.observed.size(); ++t) {
        Wide sum = 0.0L;
        Wide values = 0.0L;
        Wide newest = 0.0L;
        for (std::size_t s = 0; s + ahead <= t; ++s) {
            if (const auto y = static_cast<Wide>(rows.observed[s][j] / unit); !std::isnan(y)) {
                sum += y;
                values += 1.0L;
                newest = y;
            }
        }
        const auto y = static_cast<Wide>(rows.observed[t][j] / unit);
        const auto predicted = static_cast<Wide>(rows.predicted[t][j] / unit);
        if (values > 0.0L && !std::isnan(y) && !std::isnan(predicted)) {
            count += 1.0L;
            model += (y - predicted) * (y - predicted);
            mean += (y - (sum / values)) * (y - (sum / values));
            last += (y - newest) * (y - newest);
        }
    }
    const auto rmse = [&](Wide error) { return static_cast<double>(std::sqrt(error / count)) * unit; };
    return {
        .count = static_cast<std::size_t>(count), .model = rmse(model), .mean = rmse(mean), .last_value = rmse(last)};
}

std::vector<std::byte> saved(const Comparison& comparison) {
    sluice::core::StateWriter out;
    comparison.save(out);
    return std::move(out).unframed();
}

Comparison loaded(const std::vector<std::byte>& bytes, std::size_t outputs, std::size_t horizon, std::uint64_t most) {
    Comparison comparison(outputs, horizon);
    auto in = sluice::core::StateReader::unframed(bytes);
    comparison.load(in, most);
    in.require(in.left() == 0, "bytes are left over");
    return comparison;
}

TEST(Comparison, IsWhatTheDefinitionsSayWithGapsAHorizonAWarmupAndAnyUnit) {
    constexpr std::size_t kWarmup = 6;
    constexpr double kRounding = 1e-12;  // of 300 additions, relative
    for (const double unit : {1.0, 1e-150, 1e150}) {
        const Rows rows = rows_with_gaps(300, unit);
        for (const std::size_t horizon : {0U, 1U, 2U, 7U}) {
            Comparison comparison(kOutputs, horizon);
            for (std::size_t t = 0; t < rows.observed.size(); ++t) {
                comparison.add(rows.predicted[t], rows.observed[t], t >= kWarmup);
            }
            for (std::size_t j = 0; j < kOutputs; ++j) {
                const Slow slow = slow_comparison(rows, j, std::max<std::size_t>(horizon, 1), kWarmup, unit);
                const Comparison::Scores& scores = comparison.scores()[j];
                ASSERT_GT(slow.count, 100U);
                EXPECT_EQ(scores.model.count(), slow.count);
                EXPECT_EQ(scores.mean.count(), slow.count);
                EXPECT_EQ(scores.last_value.count(), slow.count);
                EXPECT_NEAR(scores.model.rmse() / slow.model, 1.0, kRounding) << unit << " " << horizon;
                EXPECT_NEAR(scores.mean.rmse() / slow.mean, 1.0, kRounding) << unit << " " << horizon;
                EXPECT_NEAR(scores.last_value.rmse() / slow.last_value, 1.0, kRounding) << unit << " " << horizon;
            }
        }
    }
}

TEST(Comparison, SavedAndLoadedAfterAnyRowEndsWithTheSameBits) {
    const Rows rows = rows_with_gaps(40, 1e140);
    for (const std::size_t horizon : {0U, 3U}) {
        Comparison whole(kOutputs, horizon);
        for (std::size_t t = 0; t < 40; ++t) {
            whole.add(rows.predicted[t], rows.observed[t], t >= 5);
        }
        for (std::size_t stop = 0; stop <= 40; ++stop) {
            Comparison part(kOutputs, horizon);
            for (std::size_t t = 0; t < 40; ++t) {
                if (t == stop) {
                    part = loaded(saved(part), kOutputs, horizon, stop);
                }
                part.add(rows.predicted[t], rows.observed[t], t >= 5);
            }
            ASSERT_EQ(saved(part), saved(whole)) << stop;
        }
    }
}

// What the last value is at a gap, at the first row and without any value at all.
TEST(Comparison, AnOutputThatIsNotObservedIsNotScored) {
    Comparison comparison(2, 0);
    const std::vector<double> predicted = {7.0, 7.0};
    comparison.add(predicted, std::vector{5.0, kMissing}, true);  // nothing was known before
    comparison.add(predicted, std::vector{kMissing, kMissing}, true);
    comparison.add(predicted, std::vector{6.0, kMissing}, true);  // the last value is 5
    comparison.add(predicted, std::vector{9.0, kMissing}, true);  // 6; the mean is 5.5
    const auto& first = comparison.scores()[0];
    EXPECT_EQ(first.model.count(), 2U);
    EXPECT_DOUBLE_EQ(first.model.rmse(), std::sqrt((1.0 + 4.0) / 2.0));
    EXPECT_DOUBLE_EQ(first.last_value.rmse(), std::sqrt((1.0 + 9.0) / 2.0));
    EXPECT_DOUBLE_EQ(first.mean.rmse(), std::sqrt((1.0 + (3.5 * 3.5)) / 2.0));
    EXPECT_EQ(comparison.scores()[1].model.count(), 0U);
    EXPECT_EQ(comparison.rows(), 4U);
}

TEST(Comparison, OfAConstantOutputTheMeanAndTheLastValueAreExact) {
    Comparison comparison(1, 0);
    const std::vector<double> y = {0.1};
    for (int row = 0; row < 1000; ++row) {
        comparison.add(std::vector{0.0}, y, true);
    }
    EXPECT_EQ(comparison.scores()[0].mean.rmse(), 0.0);
    EXPECT_EQ(comparison.scores()[0].last_value.rmse(), 0.0);
    EXPECT_NEAR(comparison.scores()[0].model.rmse(), 0.1, 1e-13) << "1000 additions round";
}

// The largest and smallest numbers there are: the difference of two of them is no number.
TEST(Comparison, TheLargestNumbersLeaveAStateThatLoads) {
    constexpr double kLargest = std::numeric_limits<double>::max();
    Comparison comparison(1, 0);
    for (const double y : {kLargest, -kLargest, std::numeric_limits<double>::denorm_min(), kLargest, 0.0, -kLargest}) {
        comparison.add(std::vector{-y}, std::vector{y}, true);
        const auto bytes = saved(comparison);
        EXPECT_EQ(saved(loaded(bytes, 1, 0, comparison.rows())), bytes);
    }
    EXPECT_EQ(comparison.scores()[0].last_value.count(), 5U);
    EXPECT_FALSE(std::isnan(comparison.scores()[0].last_value.rmse()));
    EXPECT_FALSE(std::isnan(comparison.scores()[0].mean.error_over_variance()));
}

TEST(Comparison, AStateThatContradictsItselfIsRefused) {
    Comparison comparison(1, 0);
    for (const double y : {1.0, 2.0, 4.0}) {
        comparison.add(std::vector{y}, std::vector{y}, true);
    }
    const std::vector<std::byte> good = saved(comparison);
    const auto refused = [&](std::size_t number, auto value) {  // of eight bytes each
        std::vector<std::byte> bytes = good;
        static_assert(sizeof(value) == 8);
        std::memcpy(bytes.data() + (8 * number), &value, sizeof(value));
        try {
            (void)loaded(bytes, 1, 0, 3);
            return false;
        } catch (const sluice::StateError&) {
            return true;
        }
    };
    // rows; (count, mean, spread, error, exponent) of model, mean and last value; values; known; pending
    ASSERT_EQ(good.size(), 8U * 21U);
    EXPECT_FALSE(refused(0, std::uint64_t{3}));
    EXPECT_TRUE(refused(0, std::uint64_t{4})) << "more rows than the run";
    EXPECT_TRUE(refused(1, std::uint64_t{1})) << "other rows for the model";
    EXPECT_TRUE(refused(11, std::uint64_t{4})) << "more rows scored than met";
    EXPECT_TRUE(refused(8, -1.0)) << "a negative sum of squares";
    EXPECT_TRUE(refused(9, kMissing));
    EXPECT_TRUE(refused(10, std::int64_t{1001})) << "a unit out of range";
    EXPECT_TRUE(refused(16, std::uint64_t{0})) << "no values, and a mean";
    EXPECT_TRUE(refused(16, std::uint64_t{4})) << "more values than rows";
    EXPECT_TRUE(refused(17, kMissing)) << "a last value without a mean";
    EXPECT_TRUE(refused(20, std::numeric_limits<double>::infinity()));
}

}  // namespace
}  // namespace comparison_test
