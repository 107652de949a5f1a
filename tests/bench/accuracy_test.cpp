// `sluice bench accuracy` on a small folder of tasks made up here.
#include "accuracy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "sluice/simulate.hpp"

namespace sluice::bench {
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
    const AccuracyTable table = measure_tasks(folder_, 10, 1.0);
    ASSERT_EQ(table.tasks.size(), 2U);
    EXPECT_EQ(table.missing, std::vector<std::string>{"gone"});
    for (const TaskResult& task : table.tasks) {
        EXPECT_GT(task.plain.mean, 0.0);
        EXPECT_LT(task.plain.mean, 1.0) << task.name;
        EXPECT_GE(task.plain.worst, task.plain.mean);
        EXPECT_GT(task.plain.us_per_row, 0.0);
        EXPECT_LE(task.held.entered_per_row, task.plain.entered_per_row) << "a hold bonus lowers turnover";
    }
    ASSERT_TRUE(table.tasks[0].rivals.has_value());
    EXPECT_EQ(table.tasks[0].rivals->lars_best, 0.347);
    EXPECT_FALSE(table.tasks[1].rivals.has_value());

    const std::string text = as_text(table);
    EXPECT_NE(text.find("gone               is missing and passed over"), std::string::npos) << text;
    EXPECT_NE(text.find("geometric mean"), std::string::npos);
    const std::string json = as_json(table);
    EXPECT_TRUE(
        json.starts_with(R"({"names":10,"hold_bonus":1,"tasks":[{"task":"sru","auto":{"error_over_variance":)"));
    EXPECT_NE(json.find(R"("missing":["gone"],"geometric_mean":{"auto":)"), std::string::npos) << json;
    EXPECT_NE(json.find(R"("rivals":null})"), std::string::npos);
    EXPECT_EQ(json.find('\n'), std::string::npos);
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
}  // namespace sluice::bench
