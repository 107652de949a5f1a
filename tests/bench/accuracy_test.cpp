// `sluice bench accuracy` on a small folder of tasks made up here.
#include "accuracy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

#include "best_reading.hpp"
#include "sluice/adaptive.hpp"
#include "sluice/simulate.hpp"

namespace sluice::bench::accuracy_test {
namespace {

class TasksFolder : public testing::Test {
  protected:
    void SetUp() override {
        folder_ = std::filesystem::path(testing::TempDir()) /
                  (std::string("sluice_tasks_") + testing::UnitTest::GetInstance()->current_test_info()->name());
        std::filesystem::create_directories(folder_);
        std::ofstream(folder_ / "tasks.json")
            << R"({"sru":{"rows":120,"inputs":12,"outputs":["a","b"],"warmup":40},)"
            << R"("gone":{"outputs":["a"],"warmup":1},"mine":{"outputs":["a"],"warmup":40}})";
        write("sru", 2);
        write("mine", 1);
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    void write(const std::string& name, std::size_t outputs) const {
        FactorStream stream({.inputs = 12, .outputs = outputs, .groups = 3, .missing_share = 0.02}, 7);
        std::vector<double> cells(12 + outputs);
        std::ofstream file(folder_ / (name + ".csv"));
        file << "x1,x2,x3,x4,x5,x6,x7,x8,x9,x10,x11,x12,y1" << (outputs == 2 ? ",y2\n" : "\n");
        for (int row = 0; row < 120; ++row) {
            stream.next(std::span(cells).first(12), std::span(cells).subspan(12));
            for (std::size_t i = 0; i < cells.size(); ++i) {
                file << (i > 0 ? "," : "");
                if (!std::isnan(cells[i])) {
                    file << cells[i];
                }
            }
            file << '\n';
        }
    }

    std::filesystem::path folder_;
};

TEST_F(TasksFolder, IsReadInTheOrderOfItsListAndEmptyCellsAreMissing) {
    const auto tasks = read_tasks(folder_);
    ASSERT_EQ(tasks.size(), 3U);
    EXPECT_EQ(tasks[0].name, "sru");
    EXPECT_EQ(tasks[0].outputs, 2U);
    EXPECT_EQ(tasks[2].warmup, 40U);
    const auto rows = read_rows(folder_, tasks[0]);
    ASSERT_TRUE(rows.has_value());
    EXPECT_EQ(rows->inputs, 12U);
    EXPECT_EQ(rows->count(), 120U);
    EXPECT_TRUE(std::ranges::any_of(rows->x, [](double cell) { return std::isnan(cell); }));
    EXPECT_FALSE(read_rows(folder_, tasks[1]).has_value());
}

TEST_F(TasksFolder, GivesATableWithRivalsWhereTheyAreKnownAndNamesWhatIsMissing) {
    const AccuracyTable table = measure_tasks(folder_, {.names = 10, .found = true});
    ASSERT_EQ(table.tasks.size(), 2U);
    EXPECT_EQ(table.folder, folder_.filename());
    EXPECT_EQ(table.missing, std::vector<std::string>{"gone"});
    for (const TaskResult& task : table.tasks) {
        EXPECT_GT(task.model.mean, 0.0);
        EXPECT_LT(task.model.mean, 1.0) << task.name;
        EXPECT_GE(task.model.worst, task.model.mean);
        EXPECT_GT(task.model.us_per_row, 0.0);
        EXPECT_GT(task.model.names, 0.0);
        EXPECT_LE(task.model.names, 10.0) << "the budget";
        EXPECT_EQ(task.over_simple(), task.model.mean / std::min(task.simple.last_value, task.simple.mean));
    }
    ASSERT_TRUE(table.tasks[0].rivals.has_value());
    EXPECT_EQ(table.tasks[0].rivals->lars_best, 0.347);
    EXPECT_FALSE(table.tasks[1].rivals.has_value());

    const std::string text = as_text(table);
    EXPECT_NE(text.find(": names found, at most 10. Error"), std::string::npos) << text;
    EXPECT_NE(text.find("gone               is missing and passed over"), std::string::npos) << text;
    EXPECT_NE(text.find("geometric mean"), std::string::npos);
    const std::string json = as_json(table);
    EXPECT_NE(json.find(R"("names":10,"found":true,"tasks":[{"task":"sru","error_over_variance":)"), std::string::npos)
        << json;
    EXPECT_NE(json.find(R"("missing":["gone"],"geometric_mean":{"error_over_variance":)"), std::string::npos) << json;
    EXPECT_NE(json.find(R"("rivals":null})"), std::string::npos);
    EXPECT_EQ(json.find('\n'), std::string::npos);
}

TEST(Budget, IsAtMostAsManyNamesAsThereAreInputs) {
    for (const bool found : {false, true}) {
        EXPECT_EQ(with_budget({.names = 10, .found = found}, 12).model.names, 10U);
        EXPECT_EQ(with_budget({.names = 20, .found = found}, 12).model.names, 12U);
        EXPECT_TRUE(with_budget({.names = 20, .found = found}, 12).problems(12, 1).empty());
        EXPECT_EQ(with_budget({.names = 10, .found = found}, 12).tuning.names, found ? Names::found : Names::most);
    }
}

TEST(SimpleForecasts, AreTheLastKnownValueAndTheMeanOfTheKnownOnes) {
    constexpr double kGap = std::numeric_limits<double>::quiet_NaN();
    // Scored from the second row on: y 3, 1, 8 (spread 26), last values 1, 3, 1, means 1, 2, 5/3.
    const TaskRows rows{.inputs = 1, .outputs = 1, .x = {0, 0, 0, 0, 0}, .y = {1.0, 3.0, kGap, 1.0, 8.0}};
    const SimpleErrors errors = measure_simple(rows, 1);
    EXPECT_DOUBLE_EQ(errors.last_value, (4.0 + 4.0 + 49.0) / 26.0);
    EXPECT_DOUBLE_EQ(errors.mean, (4.0 + 1.0 + (361.0 / 9.0)) / 26.0);
    EXPECT_EQ(errors.better(), errors.mean);
}

TEST(SimpleForecasts, AreAveragedOverTheOutputs) {
    const TaskRows both{.inputs = 1, .outputs = 2, .x = {0, 0, 0}, .y = {0.0, 0.0, 1.0, 2.0, 0.0, 6.0}};
    const TaskRows first{.inputs = 1, .outputs = 1, .x = {0, 0, 0}, .y = {0.0, 1.0, 0.0}};
    const TaskRows second{.inputs = 1, .outputs = 1, .x = {0, 0, 0}, .y = {0.0, 2.0, 6.0}};
    EXPECT_DOUBLE_EQ(measure_simple(both, 0).last_value,
                     (measure_simple(first, 0).last_value + measure_simple(second, 0).last_value) / 2.0);
}

TEST(BestReading, IsThatOfEachOutputAfterTheWarmUp) {
    std::vector<Score> scores(1);
    scores[0].add(0.0, 0.0);
    scores[0].add(2.0, 0.0);  // a spread of 2
    EXPECT_DOUBLE_EQ(*best_reading({{5.0, 0.0}}, {{5.5, 1.0}}, scores), 0.25);
    EXPECT_FALSE(best_reading({}, {}, scores).has_value());
}

TEST(BestReading, IsNotKnownOfAModelThatMixesNothing) {
    EXPECT_TRUE(reading_errors(AdaptiveModel(3, 1, {.model = {}, .tuning = Tuning::off()})).empty());
}

TEST_F(TasksFolder, EveryTaskHasABestReading) {
    for (const TaskResult& task : measure_tasks(folder_, {.names = 10, .found = true}).tasks) {
        ASSERT_TRUE(task.model.best_reading.has_value()) << task.name;
        EXPECT_GT(*task.model.best_reading, 0.0) << task.name;
        EXPECT_LE(*task.model.best_reading, 1.5 * task.simple.better()) << "the last value and the mean are among them";
    }
}

TEST(AccuracySummary, LeavesMarketsOutOfTheNamesAndHasTheWorstOfEachTask) {
    const auto task = [](const char* name, double error, double names, double entered, double last) {
        return TaskResult{.name = name,
                          .model = {.mean = error, .worst = error, .names = names, .entered_per_row = entered},
                          .simple = {.last_value = last, .mean = 1.0},
                          .rivals = std::nullopt};
    };
    AccuracyTable table{.folder = "x",
                        .tasks = {task("sp500", 0.1, 20.0, 0.1, 2.0), task("sru", 0.4, 6.0, 0.7, 0.2),
                                  task("nir", 0.4, 8.0, 0.2, 1.6)}};
    AccuracySummary all = summary_of(table);
    EXPECT_NEAR(all.error, std::cbrt(0.1 * 0.4 * 0.4), 1e-12);
    EXPECT_DOUBLE_EQ(all.names, 7.0);
    EXPECT_EQ(all.most_entered, 0.7);
    EXPECT_DOUBLE_EQ(all.most_over_simple, 2.0) << "sru: 0.4 over 0.2";
    EXPECT_FALSE(all.over_reading.has_value());
    table.tasks[1].model.best_reading = 0.4;
    table.tasks[2].model.best_reading = 0.2;
    all = summary_of(table);
    EXPECT_DOUBLE_EQ(*all.over_reading, 1.5);
    EXPECT_DOUBLE_EQ(*all.most_over_reading, 2.0);
    EXPECT_NE(as_text(table).find("1.500 times the error of the best single reading on average, 2.000 at worst"),
              std::string::npos);
}

TEST_F(TasksFolder, WithoutItsListIsRefusedByName) {
    std::filesystem::remove(folder_ / "tasks.json");
    try {
        (void)read_tasks(folder_);
        FAIL();
    } catch (const std::runtime_error& error) {
        EXPECT_NE(std::string(error.what()).find("tasks.json"), std::string::npos);
    }
}

TEST(Rivals, HaveTheGeometricMeansOfTheirSource) {
    const std::vector<const char*> tasks = {
        "indtrack45",  "sp500", "gas_ethanol", "gas_ethylene", "gas_acetaldehyde", "sru", "debutanizer",
        "air_quality", "nir",   "tep13",       "tep01"};
    // Of RIVALS.md, made from more digits than it prints: 0.001.
    const auto mean = [&](std::size_t names, double Rivals::*which) {
        std::vector<double> all;
        for (const char* task : tasks) {
            all.push_back((*rivals_on(task, names)).*which);
        }
        return geometric_mean(all);
    };
    EXPECT_NEAR(mean(10, &Rivals::lars_best), 0.174, 1e-3);
    EXPECT_NEAR(mean(20, &Rivals::lars_best), 0.150, 1e-3);
    EXPECT_NEAR(mean(20, &Rivals::dense_best), 0.063, 1e-3);
    EXPECT_NEAR(mean(10, &Rivals::auto_intercept), 0.096, 1e-3);
    EXPECT_NEAR(mean(20, &Rivals::auto_intercept), 0.080, 1e-3);
    EXPECT_FALSE(rivals_on("sru", 15).has_value());
    EXPECT_TRUE(std::isnan(geometric_mean({})));
}

}  // namespace
}  // namespace sluice::bench::accuracy_test
