#include "tally.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "sluice/report.hpp"
#include "state.hpp"

namespace tally_test {
namespace {

using sluice::job::Learner;
using sluice::job::Tally;

TEST(Tally, KnowsTheShareOfTimeAndWhenHoweverLongTheRun) {
    for (const std::size_t rows : {1U, 31U, 32U, 33U, 64U, 1000U, 4096U}) {
        Tally tally(3, 1, 0, 0);
        const std::vector<double> y = {1.0};
        const std::vector<std::size_t> first = {0, 2};
        const std::vector<std::size_t> second = {1, 2};
        for (std::size_t t = 0; t < rows; ++t) {
            sluice::StepReport report;
            report.selected = 2 * t < rows ? first : second;
            tally.add({.predicted = y, .forecast = {}, .report = report}, y);
        }
        const auto stays = tally.stays();
        ASSERT_EQ(stays.size(), rows == 1 ? 2U : 3U);
        EXPECT_EQ(stays[0].input, rows == 1 ? 0U : 2U) << rows;
        EXPECT_DOUBLE_EQ(stays[0].share, 1.0);
        for (const double share : stays[0].when) {
            EXPECT_DOUBLE_EQ(share, 1.0);
        }
        EXPECT_LE(stays[0].when.size(), 32U);
        if (rows >= 64) {
            EXPECT_NEAR(stays[1].share, 0.5, 1e-9);
            EXPECT_DOUBLE_EQ(stays[1].when.front(), 1.0);
            EXPECT_DOUBLE_EQ(stays[1].when.back(), 0.0);
        }
        sluice::core::StateWriter out;
        tally.save(out);
        const auto bytes = std::move(out).unframed();
        Tally again(3, 1, 0, 0);
        auto in = sluice::core::StateReader::unframed(bytes);
        again.load(in);
        sluice::core::StateWriter once_more;
        again.save(once_more);
        EXPECT_EQ(std::move(once_more).unframed(), bytes);
    }
}

}  // namespace
}  // namespace tally_test
