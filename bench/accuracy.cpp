#include "accuracy.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <string_view>

#include "best_reading.hpp"
#include "sluice/adaptive.hpp"
#include "sluice/score.hpp"

namespace sluice::bench {

namespace {

constexpr std::array<std::string_view, 2> kMarkets = {"indtrack45", "sp500"};

bool is_market(const TaskResult& task) {
    return std::ranges::find(kMarkets, task.name) != kMarkets.end();
}

}  // namespace

Accuracy measure_accuracy(const TaskRows& rows, std::size_t warmup, const AdaptiveOptions& options) {
    AdaptiveModel model(rows.inputs, rows.outputs, options);
    std::vector<Score> scores(rows.outputs);
    std::size_t entered = 0;
    std::size_t selected = 0;
    ReadingErrors before;
    const auto start = std::chrono::steady_clock::now();
    for (std::size_t t = 0; t < rows.count(); ++t) {
        if (t == warmup) {
            before = reading_errors(model);
        }
        const auto x = std::span(rows.x).subspan(t * rows.inputs, rows.inputs);
        const auto y = std::span(rows.y).subspan(t * rows.outputs, rows.outputs);
        const StepReport report = model.learn(x, y);
        if (t < warmup) {
            continue;
        }
        entered += report.entered.size();
        selected += report.selected.size();
        for (std::size_t k = 0; k < y.size(); ++k) {
            scores[k].add(y[k], report.predicted[k]);
        }
    }
    const std::chrono::duration<double, std::micro> taken = std::chrono::steady_clock::now() - start;
    Accuracy accuracy{.best_reading = best_reading(before, reading_errors(model), scores)};
    for (const Score& score : scores) {
        const double error = score.error_over_variance();
        accuracy.mean += error / static_cast<double>(scores.size());
        accuracy.worst = std::max(accuracy.worst, error);
    }
    const auto scored = static_cast<double>(rows.count() > warmup ? rows.count() - warmup : 1);
    accuracy.names = static_cast<double>(selected) / scored;
    accuracy.entered_per_row = static_cast<double>(entered) / scored;
    accuracy.us_per_row = taken.count() / static_cast<double>(std::max<std::size_t>(rows.count(), 1));
    return accuracy;
}

AccuracyTable measure_tasks(const std::filesystem::path& folder, const Budget& budget,
                            const std::function<void(const TaskResult&)>& done) {
    const auto tasks = read_tasks(folder);
    AccuracyTable table{.folder = std::filesystem::canonical(folder).filename().string(), .budget = budget};
    for (const Task& task : tasks) {
        const auto rows = read_rows(folder, task);
        if (!rows) {
            table.missing.push_back(task.name);
            continue;
        }
        table.tasks.push_back({.name = task.name,
                               .model = measure_accuracy(*rows, task.warmup, with_budget(budget, rows->inputs)),
                               .simple = measure_simple(*rows, task.warmup),
                               .rivals = rivals_on(task.name, budget.names)});
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

AccuracySummary summary_of(const AccuracyTable& table) {
    const auto mean_of = [&](const auto& number) {  // of the tasks on which it is known
        std::vector<double> known;
        for (const TaskResult& task : table.tasks) {
            if (const std::optional<double> one = number(task)) {
                known.push_back(*one);
            }
        }
        return geometric_mean(known);
    };
    const auto mean_of_rivals = [&](double Rivals::*which) {
        return mean_of(
            [&](const TaskResult& task) { return task.rivals ? std::optional((*task.rivals).*which) : std::nullopt; });
    };
    AccuracySummary all;
    all.error = mean_of([](const TaskResult& task) { return task.model.mean; });
    all.last_value = mean_of([](const TaskResult& task) { return task.simple.last_value; });
    all.mean = mean_of([](const TaskResult& task) { return task.simple.mean; });
    if (std::ranges::any_of(table.tasks, [](const TaskResult& task) { return task.rivals.has_value(); })) {
        all.rivals = Rivals{.lars_best = mean_of_rivals(&Rivals::lars_best),
                            .dense_best = mean_of_rivals(&Rivals::dense_best),
                            .auto_intercept = mean_of_rivals(&Rivals::auto_intercept)};
    }
    double plants = 0.0;
    double read = 0.0;
    double over_reading = 0.0;
    for (const TaskResult& task : table.tasks) {
        if (!is_market(task)) {
            all.names += task.model.names;
            plants += 1.0;
        }
        all.most_entered = std::max(all.most_entered, task.model.entered_per_row);
        all.most_over_simple = std::max(all.most_over_simple, task.over_simple());
        if (task.model.best_reading) {
            const double over = task.model.mean / *task.model.best_reading;
            all.most_over_reading = std::max(all.most_over_reading.value_or(over), over);
            over_reading += over;
            read += 1.0;
        }
    }
    all.names /= std::max(plants, 1.0);
    all.over_reading = read > 0.0 ? std::optional(over_reading / read) : std::nullopt;
    return all;
}

}  // namespace sluice::bench
