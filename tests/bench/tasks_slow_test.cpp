// Real streams, one step ahead: with fixed defaults, no task worse than 1.15 times what the prototype reached with one setting
// for all tasks (../shared/RIVALS.md, 20 names, "refit+deflate default"); tuned, the figures of docs/selftuning.md.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>

#include "accuracy.hpp"

namespace sluice::bench {
namespace {

const std::map<std::string, double> kPrototype = {
    {"indtrack45", 0.160}, {"sp500", 0.040},       {"gas_ethanol", 0.086}, {"gas_ethylene", 0.021},
    {"sru", 0.158},        {"debutanizer", 0.057}, {"air_quality", 0.130}, {"gas_acetaldehyde", 0.028},
    {"nir", 0.749},        {"tep13", 0.384},       {"tep01", 1.016},
};

TEST(Tasks, TheDefaultsAreWithinReachOfThePrototypeOnEveryTask) {
    const auto folder = tasks_folder();
    if (!folder) {
        GTEST_SKIP() << "the real streams are not here: set SLUICE_DATA to the folder beside `tasks`";
    }
    double log_sum = 0.0;
    for (const Task& task : read_tasks(*folder)) {
        const auto rows = read_rows(*folder, task);
        ASSERT_TRUE(rows) << task.name;
        const double prototype = kPrototype.at(task.name);
        const double error = measure_accuracy(*rows, task.warmup, {.model = {}, .tuning = Tuning::off()}).mean;
        std::printf("%-18s error over variance %.3f, prototype %.3f\n", task.name.c_str(), error, prototype);
        EXPECT_LE(error, 1.15 * prototype) << task.name;
        log_sum += std::log(error);
    }
    const double geometric_mean = std::exp(log_sum / static_cast<double>(kPrototype.size()));
    std::printf("geometric mean %.3f, prototype 0.124\n", geometric_mean);
    EXPECT_LE(geometric_mean, 0.124);
}

struct Goal {
    std::size_t names;
    double geometric_mean;
};

TEST(Tasks, WithNothingGivenButTheBudgetOfNamesTheGoalsAreReached) {
    const auto folder = tasks_folder();
    if (!folder) {
        GTEST_SKIP() << "the real streams are not here: set SLUICE_DATA to the folder beside `tasks`";
    }
    for (const Goal goal : {Goal{20, 0.078}, Goal{10, 0.094}}) {
        const Budget budget{.names = goal.names};
        const AccuracyTable table = measure_tasks(*folder, budget);
        const AccuracyTable held = measure_tasks(*folder, budget, 1.0);
        for (const TaskResult& task : table.tasks) {
            EXPECT_LE(task.model.mean, 1.0) << task.name;
        }
        double entered = 0.0;
        for (const TaskResult& task : held.tasks) {
            entered += task.model.entered_per_row / static_cast<double>(held.tasks.size());
        }
        const double error = summary_of(table).error;
        const double error_held = summary_of(held).error;
        std::printf("%zu names: geometric mean %.4f; with hold_bonus 1 %.4f, %.2f names entered per row\n", goal.names,
                    error, error_held, entered);
        EXPECT_LE(error, goal.geometric_mean);
        EXPECT_LE(error_held, goal.geometric_mean);
        EXPECT_LE(entered, 0.5);
    }
}

}  // namespace
}  // namespace sluice::bench
