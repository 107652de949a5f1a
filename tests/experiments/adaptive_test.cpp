// The experiment on forgetting that is chosen while the stream runs.
#include "experiments/adaptive/adaptive.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "experiments/adaptive/contestants.hpp"
#include "experiments/common/report.hpp"

namespace sluice::experiments::adaptive_test {
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

TEST(Check, AGoalThatSaysAtMostIsMetByLessAndByNothingMore) {
    const Check less{.what = "", .reference = 30.0, .measured = 12.0, .is_goal = true, .at_most = true};
    EXPECT_TRUE(less.met());
    EXPECT_EQ(less.away(), 0.0);
    const Check more{.what = "rows", .reference = 30.0, .measured = 33.0, .is_goal = true, .at_most = true};
    EXPECT_FALSE(more.met());
    EXPECT_NEAR(more.away(), 3.0, 1e-12);
    const Check half{.what = "a share", .reference = 0.9, .measured = 0.45, .is_goal = true};
    const Result both{.name = "x", .title = "", .question = "", .checks = {more, half}};
    EXPECT_NE(all_claims(both).back().measured.find("(a share)"), std::string::npos)
        << "half of a share is further off than a tenth of the rows";
    EXPECT_NE(report_html({&both, 1}, {}).find("at most 30<"), std::string::npos);
}

}  // namespace
}  // namespace sluice::experiments::adaptive_test
