// fit_job.hpp -- all rows of a file at once: the off-line methods.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model_file.hpp"
#include "roles.hpp"
#include "row_reader.hpp"
#include "sluice/fit.hpp"

namespace sluice::job {

struct FitSettings {
    std::string input = "-";
    io::Dialect dialect;
    RoleRequest roles;
    std::vector<std::size_t> lags = {0};
    std::vector<std::size_t> target_lags;  ///< empty: none
    std::size_t horizon = 0;               ///< inputs of row t explain the outputs of row t + horizon
    Method method = Method::sparse_bridge;
    StreamOptions options;
    std::string group_file;
    bool skip_bad_rows = false;
};

struct FitResult {
    ModelFile file;
    std::uint64_t skipped = 0;  ///< bad rows
    std::vector<Score> scores;  ///< in-sample, one per target: of the rows that were fitted
};

/// Throws as StreamJob does.
[[nodiscard]] FitResult run_fit(const FitSettings& settings);

}  // namespace sluice::job
