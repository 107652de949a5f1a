// The default options on real streams, one step ahead, at most 20 names: no task worse than 1.15 times what the
// prototype reached with one setting for all tasks. Figures: ../shared/RIVALS.md, 20 names, "refit+deflate default".
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "support/tasks.hpp"

namespace sluice::test {
namespace {

struct Expected {
    const char* name;
    std::size_t outputs;
    std::size_t warmup;
    double prototype;
};

constexpr Expected kTasks[] = {
    {"indtrack45", 2, 50, 0.160},
    {"sp500", 1, 100, 0.040},
    {"gas_ethanol", 1, 100, 0.086},
    {"gas_ethylene", 1, 100, 0.021},
    {"gas_acetaldehyde", 1, 100, 0.028},
    {"sru", 2, 100, 0.158},
    {"debutanizer", 1, 100, 0.057},
    {"air_quality", 4, 100, 0.130},
    {"nir", 1, 40, 0.749},
    {"tep13", 2, 100, 0.384},
    {"tep01", 2, 100, 1.016},
};

TEST(Tasks, TheDefaultsAreWithinReachOfThePrototypeOnEveryTask) {
    const auto folder = tasks_folder();
    if (!folder) {
        GTEST_SKIP() << "the real streams are not here: set SLUICE_DATA to the folder beside `tasks`";
    }
    double log_sum = 0.0;
    for (const Expected& expected : kTasks) {
        const Task task = read_task(*folder, expected.name, expected.outputs, expected.warmup);
        StreamModel model(task.inputs, task.outputs);
        const auto errors = error_over_variance(task, model);
        const double mean = std::reduce(errors.begin(), errors.end()) / static_cast<double>(errors.size());
        std::printf("%-18s error over variance %.3f, prototype %.3f\n", expected.name, mean, expected.prototype);
        EXPECT_LE(mean, 1.15 * expected.prototype) << expected.name;
        log_sum += std::log(mean);
    }
    const double geometric_mean = std::exp(log_sum / static_cast<double>(std::size(kTasks)));
    std::printf("geometric mean %.3f, prototype 0.124\n", geometric_mean);
    EXPECT_LE(geometric_mean, 0.124);
}

}  // namespace
}  // namespace sluice::test
