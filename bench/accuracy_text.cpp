// accuracy_text.cpp -- the table of accuracies as people and as programs read it.
#include <cmath>
#include <iterator>

#include "accuracy.hpp"
#include "format_to.hpp"

namespace sluice::bench {

namespace {

std::string number_or_dash(std::optional<double> value) {
    return value ? fmt::format("{:.3f}", *value) : "-";
}

std::string rivals_text(const std::optional<Rivals>& rivals) {
    return rivals
               ? fmt::format("{:9.3f} {:9.3f} {:9.3f}", rivals->lars_best, rivals->dense_best, rivals->auto_intercept)
               : fmt::format("{:>9} {:>9} {:>9}", "-", "-", "-");
}

std::string number(std::optional<double> value) {
    return value && std::isfinite(*value) ? fmt::format("{}", *value) : "null";
}

std::string rivals_json(const std::optional<Rivals>& rivals) {
    return rivals ? fmt::format(R"({{"lars_best":{},"dense_best":{},"auto_intercept":{}}})", number(rivals->lars_best),
                                number(rivals->dense_best), number(rivals->auto_intercept))
                  : "null";
}

std::string task_json(const TaskResult& task) {
    return fmt::format(
        R"({{"task":"{}","error_over_variance":{},"worst":{},"names":{},"entered_per_row":{},"us_per_row":{:.1f},"last_value":{},"mean":{},"over_simple":{},"best_reading":{},"rivals":{}}})",
        task.name, number(task.model.mean), number(task.model.worst), number(task.model.names),
        number(task.model.entered_per_row), task.model.us_per_row, number(task.simple.last_value),
        number(task.simple.mean), number(task.over_simple()), number(task.model.best_reading),
        rivals_json(task.rivals));
}

}  // namespace

std::string as_text(const AccuracyTable& table) {
    std::string out = fmt::format(
        "{}: {}. Error over variance one step ahead, mean over the outputs (worst); rivals from shared/RIVALS.md\n"
        "{:<18} {:>15} {:>7} {:>8} {:>6} | {:>7} {:>7} {:>6} | {:>8} | {:>9} {:>9} {:>9}\n"
        "{:<18} {:>15} {:>7} {:>8} {:>6} | {:>7} {:>7} {:>6} | {:>8} | {:>9} {:>9} {:>9}\n",
        table.folder, text_of(table.budget), "", "all on auto", "names", "entered", "us", "last", "mean", "over",
        "best", "LARS", "dense", "auto +", "task", "", "", "a row", "a row", "value", "", "better", "reading", "best",
        "best", "intercept");
    const auto at = std::back_inserter(out);
    for (const TaskResult& task : table.tasks) {
        fmt::format_to(at, "{:<18} {:>15} {:7.1f} {:8.2f} {:6.0f} | {:7.3f} {:7.3f} {:6.2f} | {:>8} | {}\n", task.name,
                       fmt::format("{:.3f} ({:.3f})", task.model.mean, task.model.worst), task.model.names,
                       task.model.entered_per_row, task.model.us_per_row, task.simple.last_value, task.simple.mean,
                       task.over_simple(), number_or_dash(task.model.best_reading), rivals_text(task.rivals));
    }
    if (!table.tasks.empty()) {
        const AccuracySummary all = summary_of(table);
        fmt::format_to(at, "{:<18} {:>7.4f}{:8} {:7} {:8} {:6} | {:7.3f} {:7.3f} {:6} | {:8} | {}\n", "geometric mean",
                       all.error, "", "", "", "", all.last_value, all.mean, "", "", rivals_text(all.rivals));
        fmt::format_to(
            at,
            "{:.1f} names on average, markets left out; at most {:.2f} names entered per row; at most {:.2f} "
            "times the error of the better of last value and mean.\n",
            all.names, all.most_entered, all.most_over_simple);
        if (all.over_reading) {
            fmt::format_to(at, "{:.3f} times the error of the best single reading on average, {:.3f} at worst.\n",
                           *all.over_reading, *all.most_over_reading);
        }
    }
    for (const std::string& name : table.missing) {
        fmt::format_to(at, "{:<18} is missing and passed over\n", name);
    }
    return out;
}

std::string as_json(const AccuracyTable& table) {
    std::string tasks;
    for (const TaskResult& task : table.tasks) {
        tasks += tasks.empty() ? "" : ",";
        tasks += task_json(task);
    }
    std::string missing;
    for (const std::string& name : table.missing) {
        missing += fmt::format(R"({}"{}")", missing.empty() ? "" : ",", name);
    }
    const AccuracySummary all = summary_of(table);
    return fmt::format(
        R"({{"folder":"{}","names":{},"found":{},"tasks":[{}],"missing":[{}],"geometric_mean":{{"error_over_variance":{},"last_value":{},"mean":{},"rivals":{}}},"names_without_markets":{},"most_entered_per_row":{},"most_over_simple":{},"over_best_reading":{},"most_over_best_reading":{}}})",
        table.folder, table.budget.names, table.budget.found, tasks, missing, number(all.error), number(all.last_value),
        number(all.mean), rivals_json(all.rivals), number(all.names), number(all.most_entered),
        number(all.most_over_simple), number(all.over_reading), number(all.most_over_reading));
}

}  // namespace sluice::bench
