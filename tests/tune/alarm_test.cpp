#include "alarm.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "breaking.hpp"
#include "sluice/adaptive.hpp"
#include "state.hpp"

namespace sluice {
namespace {

TEST(DriftAlarm, ReportsAFallOfTheExplainedCovariance) {
    tune::DriftAlarm alarm;
    NormalSource normal(1);
    for (int row = 0; row < 300; ++row) {
        ASSERT_FALSE(alarm.add(1.0 + normal.next(0.0, 0.1), 0.9 + normal.next(0.0, 0.01)).has_value());
    }
    const auto found = alarm.add(1.0, 0.3);
    ASSERT_TRUE(found.has_value());
    EXPECT_FALSE(found->error);
    EXPECT_EQ(found->rows, 1U);
}

// Found by any options and any stream: the first square, of a mean that is rounded beyond the number, was below zero.
TEST(DriftAlarm, CanBeLoadedWhereverItWasSaved) {
    NormalSource normal(3);
    for (int start = 0; start < 2000; ++start) {
        tune::DriftAlarm alarm;
        for (int row = 0; row < 5; ++row) {
            (void)alarm.add(-1.0, std::min(std::abs(normal.next()), 1.0));
            if (row % 2 == 0) {
                alarm.forget_covariance();
            }
            core::StateWriter out;
            alarm.save(out);
            const auto bytes = std::move(out).unframed();
            auto in = core::StateReader::unframed(bytes);
            tune::DriftAlarm again;
            ASSERT_NO_THROW(again.load(in));
        }
    }
}

TEST(DriftAlarm, IsNotRaisedByErrorsThatAreUnknown) {
    tune::DriftAlarm alarm;
    for (int row = 0; row < 500; ++row) {
        ASSERT_FALSE(alarm.add(-1.0, 0.5).has_value());
    }
}

TEST(DriftAlarm, TellsARiseOfTheErrorAndNoFallWhateverTheFirstErrorsWere) {
    for (const double first : {1.0, 1e6, 1e100, 1e-6}) {
        tune::DriftAlarm alarm;
        NormalSource normal(2);
        auto add = [&](double level) {
            const double e = normal.next();
            return alarm.add(level * e * e, 0.5);
        };
        for (int row = 0; row < 8000; ++row) {  // large at first; then better and better
            const double level = row < 5 ? first : row < 2000 ? 1.0 : row < 4000 ? 0.5 : row < 6000 ? 1e-3 : 1e-6;
            ASSERT_FALSE(add(level).has_value()) << first << ", row " << row;
        }
        int row = 0;
        std::optional<tune::DriftAlarm::Break> found;
        for (; row < 200 && !found; ++row) {
            found = add(1e-4);
        }
        ASSERT_TRUE(found.has_value()) << first;
        EXPECT_TRUE(found->error);
        EXPECT_LE(row, 100);
        EXPECT_NEAR(static_cast<double>(found->rows), row, 40.0);
    }
}

// The outputs follow inputs 0 and 1, then 3 and 4.
TEST(DriftAlarm, OfABreakComesSoonWithItsRowAndItsVariables) {
    int told = 0;
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
        constexpr std::size_t kBreak = 300;
        const auto table = test::breaking_table(seed, {.rows = 400, .p = 10, .q = 1, .every = kBreak, .noise = 1.0});
        StreamOptions options;
        options.names = 2;
        AdaptiveModel model(table.p, table.q, {.model = options, .tuning = {}});
        std::optional<std::size_t> at;
        for (std::size_t t = 0; t < table.rows(); ++t) {
            const auto report = model.learn(table.x_row(t), table.y_row(t));
            if (report.outcome != Outcome::drift) {
                ASSERT_TRUE(report.alarm.entered.empty() && report.alarm.left.empty());
                continue;
            }
            ASSERT_GE(t, kBreak) << "seed " << seed;
            if (at) {
                continue;
            }
            at = t;
            ++told;
            EXPECT_LE(t, kBreak + 40) << "seed " << seed;
            EXPECT_NEAR(static_cast<double>(report.alarm.since), static_cast<double>(kBreak), 20.0) << "seed " << seed;
            EXPECT_LE(report.alarm.since, t);
            EXPECT_TRUE(std::ranges::includes(std::vector<std::size_t>{0, 1}, report.alarm.left)) << "seed " << seed;
            EXPECT_FALSE(report.alarm.entered.empty()) << "seed " << seed;
            EXPECT_FALSE(report.alarm.left.empty()) << "seed " << seed;
            for (const std::size_t j : report.alarm.entered) {
                EXPECT_TRUE(std::ranges::binary_search(report.selected, j));
            }
            for (const std::size_t j : report.alarm.left) {
                EXPECT_FALSE(std::ranges::binary_search(report.selected, j));
            }
        }
    }
    EXPECT_EQ(told, 10);
}

}  // namespace
}  // namespace sluice
