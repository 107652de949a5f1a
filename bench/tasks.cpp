#include "tasks.hpp"

#include <simdjson.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <stdexcept>

namespace sluice::bench {

std::optional<std::filesystem::path> tasks_folder() {
    const char* data = std::getenv("SLUICE_DATA");  // NOLINT(concurrency-mt-unsafe): read before any thread starts
    if (data == nullptr) {
        return std::nullopt;
    }
    auto folder = std::filesystem::path(data) / ".." / "tasks";
    return std::filesystem::exists(folder) ? std::optional(folder) : std::nullopt;
}

std::vector<Task> read_tasks(const std::filesystem::path& folder) {
    const std::filesystem::path file = folder / "tasks.json";
    try {
        simdjson::dom::parser parser;
        const simdjson::dom::object all = parser.load(file.string());
        std::vector<Task> tasks;
        for (const auto& [name, about] : all) {
            const simdjson::dom::array outputs = about["outputs"];
            const std::uint64_t warmup = about["warmup"];
            tasks.push_back({.name = std::string(name), .outputs = outputs.size(), .warmup = warmup});
        }
        return tasks;
    } catch (const simdjson::simdjson_error& error) {
        throw std::runtime_error("cannot read " + file.string() + ": " + error.what());
    }
}

std::optional<TaskRows> read_rows(const std::filesystem::path& folder, const Task& task) {
    const std::filesystem::path path = folder / (task.name + ".csv");
    std::ifstream file(path);
    std::string line;
    if (!file) {
        return std::nullopt;
    }
    std::getline(file, line);
    const auto columns = static_cast<std::size_t>(std::ranges::count(line, ',')) + 1;
    if (task.outputs < 1 || columns <= task.outputs) {
        throw std::runtime_error(path.string() + ": no column is left for the inputs");
    }
    TaskRows rows{.inputs = columns - task.outputs, .outputs = task.outputs};
    while (std::getline(file, line)) {
        const char* at = line.c_str();
        for (std::size_t column = 0; column < columns; ++column) {
            char* end = nullptr;
            double value = std::strtod(at, &end);
            value = end == at ? std::numeric_limits<double>::quiet_NaN() : value;
            (column < rows.inputs ? rows.x : rows.y).push_back(value);
            at = end + (*end == ',' ? 1 : 0);
        }
    }
    return rows;
}

}  // namespace sluice::bench
