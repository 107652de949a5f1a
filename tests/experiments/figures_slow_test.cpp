// The numbers of the report at 500 runs, seed 1.
//
// Expected are the means of ALGORITHM.md, from 40 to 150 runs of a prototype, within 0.03. Our own means over 500 runs have
// standard errors of up to 0.019 in the transitions, so that two of them are allowed on top: without, some cells of 59 would
// be outside by chance alone with any seed.
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "experiments/catalogue.hpp"

namespace sluice::experiments {
namespace {

Plan plan() {
    return {.runs = 500, .seed = 1, .threads = std::max(1U, std::thread::hardware_concurrency())};
}

double expect_met(const Result& result) {
    double away = 0.0;
    for (const Check& check : result.checks) {
        EXPECT_TRUE(check.met()) << check.what << ": expected " << check.expected << ", measured " << check.measured
                                 << ", standard error " << check.standard_error;
        away += check.away() / static_cast<double>(result.checks.size());
    }
    std::printf("%s: %zu numbers, on average %.4f away\n", result.name.c_str(), result.checks.size(), away);
    return away;
}

void expect_verdict(const Result& result, std::size_t claim, Verdict verdict) {
    EXPECT_EQ(result.claims.at(claim).verdict, verdict) << result.claims.at(claim).claim << "\n"
                                                        << result.claims.at(claim).measured;
}

TEST(Figures, StaticComesOutAndConvergesWithin35Rows) {
    const Result result = find_experiment("static")->run(plan());
    EXPECT_LT(expect_met(result), 0.025);
    expect_verdict(result, 0, Verdict::holds);
    expect_verdict(result, 1, Verdict::holds);  // within one Monte Carlo deviation from row 35 on
    expect_verdict(result, 2, Verdict::holds);
}

TEST(Figures, SwitchingComesOut) {
    const Result result = find_experiment("switching")->run(plan());
    EXPECT_LT(expect_met(result), 0.02);
    expect_verdict(result, 0, Verdict::holds);
    expect_verdict(result, 1, Verdict::in_part);  // the second change takes longer than the paper says
    expect_verdict(result, 2, Verdict::holds);
}

TEST(Figures, ForgettingComesOut) {
    const Result result = find_experiment("forgetting")->run(plan());
    EXPECT_LT(expect_met(result), 0.025);
    for (std::size_t claim = 0; claim < 3; ++claim) {
        expect_verdict(result, claim, Verdict::holds);
    }
}

// Numbers to be reached. The last claim, everything on auto beside the best setting in hindsight, is told as it comes out.
TEST(Figures, AdaptiveReachesWhatItMust) {
    const Result result = find_experiment("adaptive")->run(plan());
    EXPECT_EQ(expect_met(result), 0.0);
    for (std::size_t claim = 0; claim < 4; ++claim) {
        expect_verdict(result, claim, Verdict::holds);
    }
}

TEST(Figures, LiteralChoicesGiveWhatTheyGive) {
    EXPECT_LT(expect_met(find_experiment("literal")->run(plan())), 0.02);
}

}  // namespace
}  // namespace sluice::experiments
