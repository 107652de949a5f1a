// A hundred thousand rows in which nothing changes: no false alarms, nothing grows, nothing drifts away.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "sluice/adaptive.hpp"
#include "sluice/simulate.hpp"

namespace sluice::stationary_slow_test {
namespace {

// Half of the output's variance is noise.
struct Stationary {
    explicit Stationary(std::uint64_t seed, std::size_t p) : normal(seed), x(p) {}
    void next() {
        for (double& value : x) {
            value = normal.next();
        }
        y = (2.0 * x[0]) - x[1] + (0.5 * x[2]) + normal.next(0.0, 2.3);
    }
    NormalSource normal;
    std::vector<double> x;
    double y = 0.0;
};

TEST(Stationary, AHundredThousandRowsGiveAtMostOneAlarmFewDecisionsAndTheErrorOfTheNoise) {
    constexpr std::size_t kRows = 100000;
    for (const std::uint64_t seed : {1U, 2U}) {
        Stationary stream(seed, 10);
        AdaptiveModel model(10, 1);
        std::size_t alarms = 0;
        std::size_t decisions = 0;
        std::size_t fresh = 0;
        std::size_t early = 0;
        double square = 0.0;
        double variance = 0.0;
        for (std::size_t row = 0; row < kRows; ++row) {
            stream.next();
            const auto report = model.learn(stream.x, {&stream.y, 1});
            ASSERT_TRUE(std::isfinite(report.predicted[0])) << "row " << row;
            if (report.outcome == Outcome::drift) {
                ++alarms;
                std::printf("row %zu: alarm by %s\n", row, report.alarm.error ? "an error" : "the inputs");
            }
            if (row == 1000) {
                early = model.save().size();
            }
            if (row > 1000) {
                decisions += report.decisions.size();
                for (const Decision& decision : report.decisions) {
                    fresh += decision.setting == Setting::fresh_start ? 1 : 0;
                }
                square += report.error_before * report.error_before;
                variance += stream.y * stream.y;
            }
        }
        std::printf(
            "seed %d: %zu alarms, %zu decisions (%zu fresh starts), error over variance %.4f, state %zu then %zu "
            "bytes\n",
            static_cast<int>(seed), alarms, decisions, fresh, square / variance, early, model.save().size());
        EXPECT_LE(alarms, 1U);
        EXPECT_LE(decisions, kRows / 40);  // names that enter and leave: one in fifty rows was seen
        EXPECT_LT(square / variance, 1.05 * 2.3 * 2.3 / (5.25 + (2.3 * 2.3)));
        EXPECT_LT(model.save().size(), early + 32768);
    }
}

}  // namespace
}  // namespace sluice::stationary_slow_test
