#include "support/tasks.hpp"

#include <cstdlib>
#include <fstream>
#include <limits>
#include <span>
#include <stdexcept>

#include "sluice/score.hpp"

namespace sluice::test {

std::optional<std::filesystem::path> tasks_folder() {
    const char* data = std::getenv("SLUICE_DATA");  // NOLINT(concurrency-mt-unsafe): read before any thread starts
    if (data == nullptr) {
        return std::nullopt;
    }
    auto folder = std::filesystem::path(data) / ".." / "tasks";
    return std::filesystem::exists(folder) ? std::optional(folder) : std::nullopt;
}

Task read_task(const std::filesystem::path& folder, const std::string& name, std::size_t outputs, std::size_t warmup) {
    std::ifstream file(folder / (name + ".csv"));
    std::string line;
    if (!std::getline(file, line)) {
        throw std::runtime_error("cannot read " + (folder / (name + ".csv")).string());
    }
    std::size_t columns = 1;
    for (const char c : line) {
        columns += c == ',' ? 1U : 0U;
    }
    Task task{.name = name, .inputs = columns - outputs, .outputs = outputs, .warmup = warmup, .x = {}, .y = {}};
    while (std::getline(file, line)) {
        const char* at = line.c_str();
        for (std::size_t column = 0; column < columns; ++column) {
            char* end = nullptr;
            double value = std::strtod(at, &end);
            value = end == at ? std::numeric_limits<double>::quiet_NaN() : value;
            (column < task.inputs ? task.x : task.y).push_back(value);
            at = end + (*end == ',' ? 1 : 0);
        }
    }
    return task;
}

std::vector<double> error_over_variance(const Task& task, StreamModel model) {
    std::vector<Score> scores(task.outputs);
    for (std::size_t row = 0; row < task.rows(); ++row) {
        const std::span x(task.x.data() + (row * task.inputs), task.inputs);
        const std::span y(task.y.data() + (row * task.outputs), task.outputs);
        const StepReport report = model.learn(x, y);
        for (std::size_t k = 0; row >= task.warmup && k < task.outputs; ++k) {
            scores[k].add(y[k], report.predicted[k]);
        }
    }
    std::vector<double> result;
    for (const Score& score : scores) {
        result.push_back(score.error_over_variance());
    }
    return result;
}

}  // namespace sluice::test
