// tasks.hpp -- the real streams of ../shared/tasks, for tests that measure one-step-ahead error on them.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sluice/model.hpp"

namespace sluice::test {

struct Task {
    std::string name;
    std::size_t inputs = 0;
    std::size_t outputs = 0;
    std::size_t warmup = 0;  ///< rows that are learnt and not scored
    std::vector<double> x;   ///< row by row, NaN where missing
    std::vector<double> y;

    [[nodiscard]] std::size_t rows() const { return x.size() / inputs; }
};

/// The folder `tasks` beside the folder that SLUICE_DATA names; nothing where either is absent.
[[nodiscard]] std::optional<std::filesystem::path> tasks_folder();

/// Reads NAME.csv: a header, targets last, an empty cell where a value is missing.
[[nodiscard]] Task read_task(const std::filesystem::path& folder, const std::string& name, std::size_t outputs,
                             std::size_t warmup);

/// Error over variance of each output, one step ahead, after the warm-up.
[[nodiscard]] std::vector<double> error_over_variance(const Task& task, StreamModel model);

}  // namespace sluice::test
