// Everything on auto beside the best in hindsight, on short streams.
#include "experiments/hindsight/hindsight.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "experiments/common/report.hpp"

namespace sluice::experiments::hindsight_test {
namespace {

std::vector<Contest> short_contests() {
    auto all = contests(60);
    all.erase(all.begin() + 1, all.end() - 2);  // one of factors, the static stream
    all.pop_back();
    return all;
}

TEST(Hindsight, TheGridHoldsEverySettingAndAllKeepTwentyNames) {
    const auto settings = fixed_settings();
    EXPECT_EQ(settings.size(), 72U);
    for (const StreamOptions& setting : settings) {
        EXPECT_EQ(*setting.components * setting.keep.at(0), 20U);
        EXPECT_TRUE(setting.problems(100, 2).empty());
    }
    EXPECT_EQ(text_of(settings.front()), "0.9, 5 x 4, r 0.1");
}

TEST(Hindsight, ContestsHaveTheRowsThatTheySay) {
    EXPECT_EQ(contests(50).size(), 8U);
    for (const Contest& contest : contests(50)) {
        const Recording recording = contest.record(3);
        EXPECT_EQ(recording.rows(), contest.rows) << contest.name;
        EXPECT_EQ(recording.y.size(), contest.rows * recording.outputs) << contest.name;
        EXPECT_EQ(recording.y, contest.record(3).y) << contest.name;
    }
}

TEST(Hindsight, GivesTheSameWhateverTheThreadsAndReportsTheRowsThatItLearns) {
    const auto all = short_contests();
    std::size_t reported = 0;
    Plan plan{.runs = 2, .seed = 3, .threads = 2};
    plan.on_progress = [&](std::size_t rows) {
        reported += rows;
        return true;
    };
    const auto two = compare(plan, all);
    EXPECT_EQ(reported, compared_rows(plan, all));
    plan.threads = 1;
    const auto one = compare(plan, all);
    EXPECT_EQ(hindsight_result(plan, one).json, hindsight_result(plan, two).json);
    EXPECT_EQ(hindsight_result(plan, one).series.front().csv, hindsight_result(plan, two).series.front().csv);
    ASSERT_EQ(one.size(), 2U);
    for (const Compared& compared : one) {
        EXPECT_EQ(compared.best_fixed(), std::ranges::min(compared.fixed));
        EXPECT_GT(compared.over_best(), 0.0);
    }
}

TEST(Hindsight, TheBestReadingIsThatOfEachOutputOverTheScoredRows) {
    std::vector<Score> scores(2);
    for (const double y : {0.0, 2.0}) {  // a spread of 2
        scores[0].add(y, y);
        scores[1].add(2.0 * y, y);  // of 8
    }
    const ReadingErrors before = {{5.0, 0.0}, {0.0, 1.0}};
    const ReadingErrors after = {{5.5, 1.0}, {9.0, 5.0}};
    EXPECT_DOUBLE_EQ(*best_reading(before, after, scores), ((0.5 / 2.0) + (4.0 / 8.0)) / 2.0);
    EXPECT_FALSE(best_reading({}, {}, scores).has_value()) << "a model without readings";
}

TEST(Hindsight, AStreamHasABestReadingWhereEverythingIsOnAutoAndNoneWhereNothingIsTuned) {
    const Recording recording = short_contests().front().record(3);
    const OneStepError tuned = one_step_error({}, recording);
    ASSERT_TRUE(tuned.best_reading.has_value());
    EXPECT_GT(*tuned.best_reading, 0.0);
    EXPECT_LT(*tuned.best_reading, 2.0) << "the mean is one of them";
    EXPECT_FALSE(one_step_error({.model = {}, .tuning = Tuning::off()}, recording).best_reading.has_value());
}

TEST(Hindsight, GoalsAreBesideTheBestReadingWhereItIsKnown) {
    std::vector<double> fixed(fixed_settings().size(), 0.5);
    fixed[3] = 0.4;
    std::vector<Compared> all = {{.name = "a", .tuned = 0.41, .fixed = fixed, .best = 3},
                                 {.name = "b", .tuned = 0.44, .fixed = fixed, .best = 3}};
    const Result grid = hindsight_result({.runs = 2}, all);
    ASSERT_EQ(grid.checks.size(), 3U) << "one for each stream, and the mean";
    EXPECT_TRUE(grid.checks[0].met());
    EXPECT_FALSE(grid.checks[1].met());
    EXPECT_NEAR(grid.checks[2].measured, (0.41 + 0.44) / 0.8, 1e-12);
    EXPECT_EQ(grid.claims.front().verdict, Verdict::in_part);
    EXPECT_NE(grid.claims.front().claim.find("best fixed setting"), std::string::npos);
    EXPECT_NE(grid.json.find(R"("best_reading":null,"best_fixed":0.4,)"), std::string::npos) << grid.json;
    EXPECT_EQ(grid.tables.front().rows[0][2], "-");

    all[0].best_reading = 0.41;
    all[1].best_reading = 0.44;
    const Result readings = hindsight_result({.runs = 2}, all);
    EXPECT_EQ(readings.claims.front().verdict, Verdict::holds);
    EXPECT_NE(readings.claims.front().claim.find("best single reading"), std::string::npos);
    EXPECT_EQ(readings.tables.front().rows[1][3], "1.000");
    EXPECT_EQ(readings.tables.front().rows[1][6], "1.100");
    EXPECT_EQ(readings.tables.front().rows[0].size(), readings.tables.front().head.size());
    EXPECT_TRUE(hindsight_result({.runs = 1}, all).checks.empty()) << "one run has no mean worth comparing";
}

}  // namespace
}  // namespace sluice::experiments::hindsight_test
