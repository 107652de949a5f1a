// The experiment on forgetting that is chosen while the stream runs, and the comparison in hindsight beside it.
#include "experiments/adaptive/adaptive.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "experiments/adaptive/contestants.hpp"
#include "experiments/adaptive/hindsight.hpp"
#include "experiments/common/report.hpp"

namespace sluice::experiments {
namespace {

TEST(Adaptive, HasACurveForEachFixedFactorAndForEachNameInTheShapeOfForgetting) {
    const std::string json = run_adaptive({.runs = 2, .seed = 4}).json;
    EXPECT_TRUE(json.starts_with(R"({"figure":"adaptive","runs":2,"rows":400,"settings":{"seed":4,)")) << json;
    EXPECT_NE(json.find(R"("curves":[{"forgetting":0.9,"component":[{"mean":[)"), std::string::npos);
    for (const char* name : {"0.95", "0.98", "1", R"("auto")", R"("oracle")", R"("auto-paper")", R"("oracle-paper")"}) {
        std::string entry = R"(,{"forgetting":)";
        entry += name;
        EXPECT_NE(json.find(entry + R"(,"component":[{"mean":[)"), std::string::npos) << name;
    }
    EXPECT_NE(json.find(R"(,{"forgetting":"best-fixed","factor":0.9)"), std::string::npos) << "says which it is";
    EXPECT_EQ(json.find("hindsight"), std::string::npos) << "two runs are a quick look";
}

TEST(Adaptive, ChecksAreNumbersToBeReached) {
    const Result result = run_adaptive({.runs = 2, .seed = 4});
    EXPECT_EQ(result.checks.size(), 18U);
    EXPECT_TRUE(std::ranges::all_of(result.checks, &Check::is_goal));
    EXPECT_TRUE(run_adaptive({.runs = 1}).checks.empty()) << "one run has no mean worth comparing";
    const Result text = run_adaptive({.runs = 2, .seed = 4, .third_phase = ThirdPhase::text});
    EXPECT_EQ(text.checks.size(), 12U) << "nothing is known of the third phase as the text reads it";
}

TEST(Adaptive, TheOracleStartsAnewAtTheChangesAndIsOtherwiseForgettingOne) {
    const Plan plan{.runs = 3, .seed = 2};
    const auto all = switching_contest(plan);
    const Curve& one = all[3].runs.component[0];
    const Curve& oracle = all[7].runs.component[0];
    ASSERT_EQ(all[3].factor, 1.0);
    ASSERT_EQ(all[7].name, "oracle-paper");
    EXPECT_TRUE(std::equal(one.mean.begin(), one.mean.begin() + 100, oracle.mean.begin()));
    EXPECT_GT(oracle.mean_at(150), one.mean_at(150));
    EXPECT_GT(oracle.mean_at(400), 0.8);
    EXPECT_LT(one.mean_at(400), 0.2);
}

TEST(Check, AGoalIsMetByMoreAndByNothingLess) {
    const Check more{.what = "", .reference = 0.5, .measured = 0.9, .is_goal = true};
    EXPECT_TRUE(more.met());
    EXPECT_EQ(more.away(), 0.0);
    const Check less{.what = "", .reference = 0.5, .measured = 0.49, .standard_error = 0.1, .is_goal = true};
    EXPECT_FALSE(less.met());
    EXPECT_NEAR(less.away(), 0.01, 1e-12);
    const Result short_of{.name = "x", .title = "", .question = "", .checks = {more, less}};
    const Claim claim = all_claims(short_of).back();
    EXPECT_EQ(claim.verdict, Verdict::in_part);
    EXPECT_TRUE(claim.ours);
    EXPECT_NE(claim.measured.find("1 of 2"), std::string::npos) << claim.measured;
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
    for (const Contest& contest : contests(50)) {
        const Recording recording = contest.record(3);
        EXPECT_EQ(recording.rows(), contest.rows) << contest.name;
        EXPECT_EQ(recording.y.size(), contest.rows * recording.outputs) << contest.name;
        EXPECT_EQ(recording.y, contest.record(3).y) << contest.name;
    }
}

TEST(Hindsight, GivesTheSameWhateverTheThreadsAndTellsTheRowsThatItLearns) {
    auto all = contests(60);
    all.erase(all.begin() + 1, all.end() - 2);  // one of factors, the static stream
    all.pop_back();
    auto parts = tuned_parts();
    parts.resize(2);
    std::size_t told = 0;
    Plan plan{.runs = 1, .seed = 3, .threads = 2};
    plan.on_progress = [&](std::size_t rows) {
        told += rows;
        return true;
    };
    const auto two = compare(plan, all, parts, 2);
    EXPECT_EQ(told, compared_rows(all, parts.size(), 2));
    plan.threads = 1;
    const auto one = compare(plan, all, parts, 2);
    EXPECT_EQ(json_of(one), json_of(two));
    ASSERT_EQ(one.size(), 2U);
    for (const Compared& compared : one) {
        EXPECT_EQ(compared.fixed.at(compared.best), std::ranges::min(compared.fixed));
        EXPECT_EQ(compared.tuned.size(), 2U);
        EXPECT_GT(compared.over_best(), 0.0);
    }
    EXPECT_EQ(table_of(one, parts, 2).rows.size(), 2U);
    EXPECT_EQ(table_of(one, parts, 2).rows[0].size(), table_of(one, parts, 2).head.size());
}

}  // namespace
}  // namespace sluice::experiments
