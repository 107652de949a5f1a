// tasks.hpp -- real streams with a task each: a folder with NAME.csv (header, targets last, an empty cell where a value is
// missing) and tasks.json (for each name its outputs and how many rows of warm-up are not scored).
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace sluice::bench {

struct Task {
    std::string name;
    std::size_t outputs = 1;
    std::size_t warmup = 0;
};

struct TaskRows {
    std::size_t inputs = 0;
    std::size_t outputs = 0;
    std::vector<double> x = {};  ///< row by row, NaN where missing
    std::vector<double> y = {};
    [[nodiscard]] std::size_t count() const { return outputs > 0 ? y.size() / outputs : 0; }
};

/// The folder `tasks` beside the one that SLUICE_DATA names; nothing where either is absent.
[[nodiscard]] std::optional<std::filesystem::path> tasks_folder();
/// In the order of tasks.json. Throws std::runtime_error.
[[nodiscard]] std::vector<Task> read_tasks(const std::filesystem::path& folder);
/// Nothing where the file is absent. Throws std::runtime_error where it is no such table.
[[nodiscard]] std::optional<TaskRows> read_rows(const std::filesystem::path& folder, const Task& task);

}  // namespace sluice::bench
