// accuracy.hpp -- one-step-ahead error on real streams, nothing given but the targets and a budget of names.
//
// Question   How well does a model predict that nobody has tuned, and how often does what it selects change?
// Ours       sluice::AdaptiveModel, everything on auto; the same with a hold bonus
// Peers      prototypes of shared/RIVALS.md, as measured there                                   rivals.cpp
// Reports    error over variance after the warm-up: mean over the outputs and the worst; names entered per row after the
//            warm-up; microseconds per row
// Not asked  what a row costs beside others; see step_cost.hpp
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rivals.hpp"
#include "sluice/tuning.hpp"
#include "tasks.hpp"

namespace sluice::bench {

struct Accuracy {
    double mean = 0.0;   ///< error over variance
    double worst = 0.0;  ///< of the outputs
    double entered_per_row = 0.0;
    double us_per_row = 0.0;
};

struct TaskResult {
    std::string name;
    Accuracy plain;
    Accuracy held;  ///< with the hold bonus
    std::optional<Rivals> rivals;
};

/// All tasks with one budget of names.
struct AccuracyTable {
    std::size_t names = 20;
    double hold_bonus = 1.0;
    std::vector<TaskResult> tasks = {};
    std::vector<std::string> missing = {};  ///< tasks whose file is not there
};

[[nodiscard]] Accuracy measure_accuracy(const TaskRows& rows, std::size_t warmup, const AdaptiveOptions& options);

/// `done` is called with each task as it is finished.
[[nodiscard]] AccuracyTable measure_tasks(const std::filesystem::path& folder, std::size_t names, double hold_bonus,
                                          const std::function<void(const TaskResult&)>& done = {});

/// exp(mean(log)); NaN of none.
[[nodiscard]] double geometric_mean(std::span<const double> numbers);

[[nodiscard]] std::string as_text(const AccuracyTable& table);
[[nodiscard]] std::string as_json(const AccuracyTable& table);  ///< one line

}  // namespace sluice::bench
