// Which names are selected, beside those that drive the output, on short streams.
#include "experiments/selection/selection.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "experiments/common/report.hpp"
#include "experiments/selection/number_of_names.hpp"

namespace sluice::experiments::selection_test {
namespace {

// Two inputs, then one, of twelve; noise of twelve.
SelectionScenario small_scenario() {
    return {.cases = {{.options =
                           {.inputs = 12, .drivers = 2, .drivers_after = 1, .signal_to_noise = 100.0, .change_at = 60},
                       .least_f1 = 0.5}},
            .noise = {{.inputs = 12, .drivers = 0}},
            .rows = 120,
            .from = 30,
            .settled = 20,
            .names = 6};
}

TEST(NameCounts, CountWhatIsRightWrongAndMissedInAnyOrder) {
    const std::vector<std::size_t> drivers = {2, 5, 9};
    const std::vector<std::size_t> selected = {9, 0, 2, 7};
    const NameCounts counts = count_names(selected, drivers);
    EXPECT_EQ(counts.right, 2U);
    EXPECT_EQ(counts.wrong, 2U);
    EXPECT_EQ(counts.missed, 1U);
    EXPECT_EQ(counts.selected(), 4U);
    EXPECT_DOUBLE_EQ(counts.precision(), 0.5);
    EXPECT_DOUBLE_EQ(counts.recall(), 2.0 / 3.0);
    EXPECT_DOUBLE_EQ(counts.f1(), 4.0 / 7.0);
}

TEST(NameCounts, AreDefinedWhereNothingIsSelectedOrNothingDrives) {
    const std::vector<std::size_t> one = {3};
    EXPECT_EQ(count_names({}, {}).f1(), 1.0);
    EXPECT_EQ(count_names({}, {}).precision(), 1.0);
    EXPECT_EQ(count_names({}, {}).recall(), 1.0);
    EXPECT_EQ(count_names({}, one).f1(), 0.0);
    EXPECT_EQ(count_names({}, one).precision(), 0.0);
    EXPECT_EQ(count_names(one, {}).f1(), 0.0);
    EXPECT_EQ(count_names(one, {}).recall(), 1.0);
}

TEST(NameCounts, AreAddedBeforeTheyAreDivided) {
    NameCounts all{.right = 1, .wrong = 9, .missed = 0};
    all.add({.right = 1, .wrong = 0, .missed = 0});
    EXPECT_DOUBLE_EQ(all.precision(), 2.0 / 11.0);
}

TEST(Selection, TheStreamsAreThoseOfTheGoals) {
    const SelectionScenario usual = selection_scenario();
    ASSERT_EQ(usual.cases.size(), 5U);
    EXPECT_EQ(text_of(usual.cases[0].options), "30 inputs, rho 0, snr 100, 2 then 1 drivers");
    EXPECT_EQ(text_of(usual.cases[4].options), "100 inputs, rho 0.9, snr 20, 5 drivers");
    EXPECT_EQ(text_of(usual.noise[0]), "30 inputs, noise");
    for (const SelectionCase& one : usual.cases) {
        EXPECT_TRUE(one.options.problems().empty());
        const NameStream stream = selection_stream("", one.options, usual.rows, usual.from, usual.settled);
        ASSERT_EQ(stream.scored.size(), 2U);
        EXPECT_EQ(stream.scored[0].from, 100U);
        EXPECT_EQ(stream.scored[0].to, 450U);
        EXPECT_EQ(stream.scored[1].from, 520U);
        EXPECT_EQ(stream.scored[1].to, 900U);
        EXPECT_EQ(stream.error_from, 100U);
    }
    const NameStream noise = selection_stream("", usual.noise[0], usual.rows, usual.from, usual.settled);
    EXPECT_EQ(noise.scored.at(0).from, 1U) << "of noise all rows count";
    EXPECT_EQ(noise.scored.at(0).to, 900U);
    EXPECT_EQ(noise.change_at, 0U);
}

TEST(Selection, DriversOfTheSwitchingStreamAreBothGroupsWithCoefficients) {
    std::vector<std::vector<std::size_t>> drivers;
    switching_stream(ThirdPhase::caption).play(3, [&](std::span<const double> x, double y, auto now) {
        EXPECT_EQ(x.size(), 60U);
        EXPECT_TRUE(std::isfinite(y));
        drivers.emplace_back(now.begin(), now.end());
    });
    ASSERT_EQ(drivers.size(), 400U);
    std::vector<std::size_t> first_two(40);
    std::iota(first_two.begin(), first_two.end(), 0U);
    std::vector<std::size_t> last_two(40);
    std::iota(last_two.begin(), last_two.end(), 20U);
    EXPECT_EQ(drivers[0], first_two);
    EXPECT_EQ(drivers[299], first_two);
    EXPECT_EQ(drivers[300], last_two);
}

// A model that keeps one input, given inputs of which only one varies: what is counted is known exactly.
TEST(Selection, ARunCountsNamesErrorsAndTheWaitForNewNames) {
    NameStream stream{.name = "one input varies",
                      .inputs = 3,
                      .rows = 20,
                      .change_at = 10,
                      .scored = {{.from = 6, .to = 10}, {.from = 15, .to = 20}},
                      .error_from = 6};
    stream.play = [](std::uint64_t seed, const NameStream::Row& one) {
        NormalSource normal(seed);
        const std::vector<std::size_t> before = {1};
        const std::vector<std::size_t> late = {0};
        for (int t = 0; t < 20; ++t) {
            const std::vector<double> x = {0.0, normal.next(), 0.0};
            one(x, x[1], t >= 10 && t < 14 ? late : before);  // for four rows the truth is another one
        }
    };
    AdaptiveOptions options{.model = {.components = 1, .keep = {1}, .forgetting = 1.0}, .tuning = Tuning::off()};
    options.model.shrinkage = 0.0;
    options.model.clip.reset();
    const NameRun run = follow_names(stream, options, 5);
    ASSERT_EQ(run.by_row.size(), 20U);
    EXPECT_TRUE(run.arrived);
    EXPECT_EQ(run.wait, 5U) << "missed after rows 11 to 14";
    EXPECT_EQ(run.by_row[9].right, 1U);
    EXPECT_EQ(run.by_row[12].right, 0U);
    EXPECT_EQ(run.by_row[12].wrong, 1U);
    EXPECT_EQ(run.by_row[12].missed, 1U);
    EXPECT_LT(run.error_over_variance, 1e-15) << "y is the input; predicted to some 1e-10 of its deviation";

    const Plan plan{.runs = 2, .seed = 5};
    const NameSummary all = many_name_runs(plan, stream, {&options, 1}).at(0);
    EXPECT_EQ(all.counts.right, 22U) << "eleven rows of two runs";
    EXPECT_EQ(all.counts.f1(), 1.0);
    EXPECT_EQ(all.names, 1.0);
    EXPECT_EQ(all.empty_share, 0.0);
    EXPECT_EQ(all.mean_wait, 5.0);
    EXPECT_EQ(all.worst_wait, 5U);
    EXPECT_EQ(all.never, 0U);
    EXPECT_EQ(all.timely_share, 1.0);
    EXPECT_EQ(all.by_row[12].f1(), 0.0);
    EXPECT_EQ(all.names_by_row[19], 1.0);
}

TEST(Selection, NewNamesThatNeverComeCountAllRowsThatAreLeft) {
    NameStream stream{.name = "", .inputs = 2, .rows = 50, .change_at = 10, .scored = {{.from = 1, .to = 50}}};
    stream.play = [](std::uint64_t seed, const NameStream::Row& one) {
        NormalSource normal(seed);
        const std::vector<std::size_t> silent = {0};
        for (int t = 0; t < 50; ++t) {
            const std::vector<double> x = {0.0, normal.next()};
            one(x, x[1], silent);
        }
    };
    const AdaptiveOptions options{.model = {.components = 1, .keep = {1}}, .tuning = Tuning::off()};
    const NameSummary all = many_name_runs({.runs = 1}, stream, {&options, 1}).at(0);
    EXPECT_EQ(all.never, 1U);
    EXPECT_EQ(all.worst_wait, 40U);
    EXPECT_EQ(all.timely_share, 0.0);
}

TEST(Selection, GivesTheSameBytesWhateverTheThreadsAndReportsTheRowsThatItLearns) {
    const SelectionScenario scenario = small_scenario();
    std::size_t reported = 0;
    Plan plan{.runs = 3, .seed = 9, .threads = 3};
    plan.on_progress = [&](std::size_t rows) {
        reported += rows;
        return true;
    };
    const Result three = selection_result(plan, measure_selection(plan, scenario));
    EXPECT_EQ(reported, selection_rows(plan, scenario));
    plan.threads = 1;
    const Result one = selection_result(plan, measure_selection(plan, scenario));
    const auto files_one = report_files({&one, 1}, plan);
    const auto files_three = report_files({&three, 1}, plan);
    EXPECT_EQ(one.json, three.json);
    ASSERT_EQ(files_one.size(), 4U) << "two figures, their numbers, the page";
    for (std::size_t i = 0; i < files_one.size(); ++i) {
        EXPECT_EQ(files_one[i].content, files_three[i].content) << files_one[i].name;
        EXPECT_EQ(files_one[i].content.find("nan"), std::string::npos) << files_one[i].name;
    }
    EXPECT_TRUE(one.json.starts_with(R"({"figure":"selection","runs":3,"rows":120,"settings":{"seed":9,"seeds":3,)"));
    for (const char* key : {R"("found":{"precision":)", R"("given":{"precision":)", R"("error_ratio":)",
                            R"("noise":[{"inputs":12,"rows_without_names":)", R"("switching":{"share_right":)"}) {
        EXPECT_NE(one.json.find(key), std::string::npos) << key;
    }
    EXPECT_EQ(one.json.find('\n'), std::string::npos);
    EXPECT_EQ(std::ranges::count(one.json, '{'), std::ranges::count(one.json, '}'));
}

TEST(Selection, HasAGoalForEachNumberAndClaimsThatAreOurs) {
    const Plan plan{.runs = 2, .seed = 4};
    const SelectionMeasured measured = measure_selection(plan, small_scenario());
    const Result result = selection_result(plan, measured);
    ASSERT_TRUE(measured.models_differ()) << "twelve names and six";
    ASSERT_EQ(result.checks.size(), 5U) << "F1, error and wait of a stream; noise; switching";
    EXPECT_TRUE(std::ranges::all_of(result.checks, &Check::is_goal));
    EXPECT_EQ(result.checks[0].measured, measured.cases[0].found.counts.f1());
    EXPECT_TRUE(result.checks[1].at_most);
    EXPECT_TRUE(result.checks[2].at_most);
    EXPECT_EQ(result.checks[4].measured, measured.switching.counts.precision());
    EXPECT_EQ(result.claims.size(), 5U);
    EXPECT_TRUE(std::ranges::all_of(result.claims, &Claim::ours));
    for (const Table& table : result.tables) {
        for (const auto& row : table.rows) {
            EXPECT_EQ(row.size(), table.head.size()) << table.title;
        }
    }
    EXPECT_TRUE(selection_result({.runs = 1}, measured).checks.empty()) << "one run has no mean worth comparing";
}

TEST(Selection, ErrorsOfModelsThatNeverDifferAreNotCompared) {
    const Plan plan{.runs = 2, .seed = 4};
    SelectionMeasured measured = measure_selection(plan, small_scenario());
    measured.cases[0].given = measured.cases[0].found;
    EXPECT_FALSE(measured.models_differ());
    const Result result = selection_result(plan, measured);
    EXPECT_EQ(result.claims.at(1).verdict, Verdict::not_tested);
    EXPECT_EQ(result.checks.size(), 4U) << "no goal for the error";
}

TEST(Selection, TheModelBesideItUsesNoMoreThanTheNamesGiven) {
    const SelectionMeasured measured = measure_selection({.runs = 1, .seed = 2}, small_scenario());
    for (const double names : measured.cases[0].given.names_by_row) {
        EXPECT_LE(names, 6.0);
    }
    EXPECT_EQ(names_given(6).model.names, 6U);
    EXPECT_EQ(names_given(6).tuning.names, Names::most);
    EXPECT_EQ(names_found().tuning.names, Names::found);
    EXPECT_FALSE(names_found().model.names.has_value()) << "nothing is given";
}

}  // namespace
}  // namespace sluice::experiments::selection_test
