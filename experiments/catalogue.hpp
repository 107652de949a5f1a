// catalogue.hpp -- every experiment by its name. A new one is a folder with a README.md, a function that takes a Plan and
// gives a Result, and a line in catalogue.cpp.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "experiments/common/plan.hpp"
#include "experiments/common/result.hpp"

namespace sluice::experiments {

struct Experiment {
    std::string_view name;
    std::string_view about;
    std::size_t (*rows)(const Plan& plan);  ///< that it learns in all, for the time left
    Result (*run)(const Plan& plan);
    std::size_t usual_runs = kUsualRuns;  ///< without --runs. As a part of `all`, for each 500 runs of --runs
    bool figure = true;                   ///< part of `all`. The others go with the report only.
};

[[nodiscard]] std::span<const Experiment> catalogue();
[[nodiscard]] const Experiment* find_experiment(std::string_view name);  ///< null where there is none

}  // namespace sluice::experiments
