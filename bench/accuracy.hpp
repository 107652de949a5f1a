// accuracy.hpp -- one-step-ahead error on real streams, nothing given but the targets and a budget of names.
//
// Question   How well does a model predict that nobody has tuned, from how many names, and how often do these change?
// Ours       sluice::AdaptiveModel, everything on auto: with all of 20 names, with names found              budget.hpp
// Peers      the last value and the mean                                                            simple_forecasts.hpp
//            the best single reading of the model in hindsight                                          best_reading.hpp
//            prototypes of shared/RIVALS.md, as measured there                                                 rivals.cpp
// Reports    error over variance after the warm-up: mean over the outputs and the worst; names used and names entered per
//            row after the warm-up; microseconds per row
// Not asked  what a row costs beside others; see step_cost.hpp
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "budget.hpp"
#include "rivals.hpp"
#include "simple_forecasts.hpp"
#include "sluice/tuning.hpp"
#include "tasks.hpp"

namespace sluice::bench {

struct Accuracy {
    double mean = 0.0;   ///< error over variance
    double worst = 0.0;  ///< of the outputs
    double names = 0.0;  ///< selected, mean of the rows
    double entered_per_row = 0.0;
    double us_per_row = 0.0;
    std::optional<double> best_reading = std::nullopt;  ///< its error over variance
};

struct TaskResult {
    std::string name;
    Accuracy model;
    SimpleErrors simple;
    std::optional<Rivals> rivals;
    /// Error over that of the better of the last value and the mean.
    [[nodiscard]] double over_simple() const { return model.mean / simple.better(); }
};

/// All tasks of a folder with one budget of names.
struct AccuracyTable {
    std::string folder;  ///< its name
    Budget budget = {};
    std::vector<TaskResult> tasks = {};
    std::vector<std::string> missing = {};  ///< tasks whose file is not there
};

[[nodiscard]] Accuracy measure_accuracy(const TaskRows& rows, std::size_t warmup, const AdaptiveOptions& options);

/// `done` is called with each task as it is finished.
[[nodiscard]] AccuracyTable measure_tasks(const std::filesystem::path& folder, const Budget& budget,
                                          const std::function<void(const TaskResult&)>& done = {});

/// exp(mean(log)); NaN of none.
[[nodiscard]] double geometric_mean(std::span<const double> numbers);

/// Over all tasks of a table.
struct AccuracySummary {
    double error = 0.0;                 ///< geometric means
    double last_value = 0.0;            ///<
    double mean = 0.0;                  ///<
    std::optional<Rivals> rivals = {};  ///< over the tasks on which they are known
    double names = 0.0;                 ///< mean; markets, where each stock is a part of the output, left out
    double most_entered = 0.0;          ///< names per row, of the worst task
    double most_over_simple = 0.0;      ///< TaskResult::over_simple() of the worst task
    /// Error over that of the best reading: mean and worst of the tasks. Nothing where it is not known.
    std::optional<double> over_reading = std::nullopt;
    std::optional<double> most_over_reading = std::nullopt;
};
[[nodiscard]] AccuracySummary summary_of(const AccuracyTable& table);

[[nodiscard]] std::string as_text(const AccuracyTable& table);
[[nodiscard]] std::string as_json(const AccuracyTable& table);  ///< one line

}  // namespace sluice::bench
