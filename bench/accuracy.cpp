#include "accuracy.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "sluice/adaptive.hpp"
#include "sluice/score.hpp"

namespace sluice::bench {

namespace {

AdaptiveOptions with_budget(std::size_t names, double hold_bonus, std::size_t inputs) {
    AdaptiveOptions options;
    options.model.names = std::min(names, inputs);
    options.model.hold_bonus = hold_bonus;
    return options;
}

}  // namespace

Accuracy measure_accuracy(const TaskRows& rows, std::size_t warmup, const AdaptiveOptions& options) {
    AdaptiveModel model(rows.inputs, rows.outputs, options);
    std::vector<Score> scores(rows.outputs);
    std::size_t entered = 0;
    const auto start = std::chrono::steady_clock::now();
    for (std::size_t t = 0; t < rows.count(); ++t) {
        const auto x = std::span(rows.x).subspan(t * rows.inputs, rows.inputs);
        const auto y = std::span(rows.y).subspan(t * rows.outputs, rows.outputs);
        const StepReport report = model.learn(x, y);
        if (t < warmup) {
            continue;
        }
        entered += report.entered.size();
        for (std::size_t k = 0; k < y.size(); ++k) {
            scores[k].add(y[k], report.predicted[k]);
        }
    }
    const std::chrono::duration<double, std::micro> taken = std::chrono::steady_clock::now() - start;
    Accuracy accuracy;
    for (const Score& score : scores) {
        const double error = score.error_over_variance();
        accuracy.mean += error / static_cast<double>(scores.size());
        accuracy.worst = std::max(accuracy.worst, error);
    }
    const std::size_t scored = rows.count() > warmup ? rows.count() - warmup : 1;
    accuracy.entered_per_row = static_cast<double>(entered) / static_cast<double>(scored);
    accuracy.us_per_row = taken.count() / static_cast<double>(std::max<std::size_t>(rows.count(), 1));
    return accuracy;
}

AccuracyTable measure_tasks(const std::filesystem::path& folder, std::size_t names, double hold_bonus,
                            const std::function<void(const TaskResult&)>& done) {
    AccuracyTable table{.names = names, .hold_bonus = hold_bonus};
    for (const Task& task : read_tasks(folder)) {
        const auto rows = read_rows(folder, task);
        if (!rows) {
            table.missing.push_back(task.name);
            continue;
        }
        table.tasks.push_back(
            {.name = task.name,
             .plain = measure_accuracy(*rows, task.warmup, with_budget(names, 0.0, rows->inputs)),
             .held = measure_accuracy(*rows, task.warmup, with_budget(names, hold_bonus, rows->inputs)),
             .rivals = rivals_on(task.name, names)});
        if (done) {
            done(table.tasks.back());
        }
    }
    return table;
}

double geometric_mean(std::span<const double> numbers) {
    if (numbers.empty()) {
        return std::numeric_limits<double>::quiet_NaN();
    }
    double sum = 0.0;
    for (const double number : numbers) {
        sum += std::log(number);
    }
    return std::exp(sum / static_cast<double>(numbers.size()));
}

}  // namespace sluice::bench
