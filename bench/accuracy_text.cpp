// accuracy_text.cpp -- the table of accuracies as people and as programs read it.
#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "accuracy.hpp"

namespace sluice::bench {

namespace {

// Geometric means over the tasks of a table; of rivals, over the tasks on which they are known.
struct Means {
    double plain = 0.0;
    double held = 0.0;
    double entered = 0.0;  ///< plain mean: it may be 0
    double entered_held = 0.0;
    std::optional<Rivals> rivals;
};

Means means_of(const AccuracyTable& table) {
    std::vector<double> plain;
    std::vector<double> held;
    std::vector<double> lars;
    std::vector<double> dense;
    std::vector<double> intercept;
    Means means;
    for (const TaskResult& task : table.tasks) {
        plain.push_back(task.plain.mean);
        held.push_back(task.held.mean);
        means.entered += task.plain.entered_per_row / static_cast<double>(table.tasks.size());
        means.entered_held += task.held.entered_per_row / static_cast<double>(table.tasks.size());
        if (task.rivals) {
            lars.push_back(task.rivals->lars_best);
            dense.push_back(task.rivals->dense_best);
            intercept.push_back(task.rivals->auto_intercept);
        }
    }
    means.plain = geometric_mean(plain);
    means.held = geometric_mean(held);
    if (!lars.empty()) {
        means.rivals = Rivals{.lars_best = geometric_mean(lars),
                              .dense_best = geometric_mean(dense),
                              .auto_intercept = geometric_mean(intercept)};
    }
    return means;
}

std::string error_text(const Accuracy& accuracy) {
    return fmt::format("{:.3f} ({:.3f})", accuracy.mean, accuracy.worst);
}

std::string rivals_text(const std::optional<Rivals>& rivals) {
    return rivals
               ? fmt::format("{:9.3f} {:9.3f} {:9.3f}", rivals->lars_best, rivals->dense_best, rivals->auto_intercept)
               : fmt::format("{:>9} {:>9} {:>9}", "-", "-", "-");
}

std::string number(double value) {
    return std::isfinite(value) ? fmt::format("{}", value) : "null";
}

std::string accuracy_json(const Accuracy& accuracy) {
    return fmt::format(R"({{"error_over_variance":{},"worst":{},"entered_per_row":{},"us_per_row":{:.1f}}})",
                       number(accuracy.mean), number(accuracy.worst), number(accuracy.entered_per_row),
                       accuracy.us_per_row);
}

std::string rivals_json(const std::optional<Rivals>& rivals) {
    return rivals ? fmt::format(R"({{"lars_best":{},"dense_best":{},"auto_intercept":{}}})", number(rivals->lars_best),
                                number(rivals->dense_best), number(rivals->auto_intercept))
                  : "null";
}

}  // namespace

std::string as_text(const AccuracyTable& table) {
    std::string out = fmt::format(
        "At most {} names. Error over variance one step ahead, mean over the outputs (worst); rivals from "
        "shared/RIVALS.md\n"
        "{:<18} {:>15} {:>8} {:>9} | {:>15} {:>8} | {:>9} {:>9} {:>9}\n"
        "{:<18} {:>15} {:>8} {:>9} | {:>15} {:>8} | {:>9} {:>9} {:>9}\n",
        table.names, "", "all on auto", "entered", "us", fmt::format("hold bonus {:g}", table.hold_bonus), "entered",
        "LARS", "dense", "auto +", "task", "", "a row", "a row", "", "a row", "best", "best", "intercept");
    const auto at = std::back_inserter(out);
    for (const TaskResult& task : table.tasks) {
        fmt::format_to(at, "{:<18} {:>15} {:8.2f} {:9.0f} | {:>15} {:8.2f} | {}\n", task.name, error_text(task.plain),
                       task.plain.entered_per_row, task.plain.us_per_row, error_text(task.held),
                       task.held.entered_per_row, rivals_text(task.rivals));
    }
    const Means means = means_of(table);
    if (!table.tasks.empty()) {
        fmt::format_to(at, "{:<18} {:>7.4f}{:8} {:8.2f} {:9} | {:>7.4f}{:8} {:8.2f} | {}\n", "geometric mean",
                       means.plain, "", means.entered, "", means.held, "", means.entered_held,
                       rivals_text(means.rivals));
        fmt::format_to(at, "The hold bonus costs {:+.1f} % of error.\n", 100.0 * ((means.held / means.plain) - 1.0));
    }
    for (const std::string& name : table.missing) {
        fmt::format_to(at, "{:<18} is missing and passed over\n", name);
    }
    return out;
}

std::string as_json(const AccuracyTable& table) {
    std::string tasks;
    for (const TaskResult& task : table.tasks) {
        tasks += fmt::format(R"({}{{"task":"{}","auto":{},"hold":{},"rivals":{}}})", tasks.empty() ? "" : ",",
                             task.name, accuracy_json(task.plain), accuracy_json(task.held), rivals_json(task.rivals));
    }
    std::string missing;
    for (const std::string& name : table.missing) {
        missing += fmt::format(R"({}"{}")", missing.empty() ? "" : ",", name);
    }
    const Means means = means_of(table);
    return fmt::format(
        R"({{"names":{},"hold_bonus":{},"tasks":[{}],"missing":[{}],"geometric_mean":{{"auto":{},"hold":{},"rivals":{}}}}})",
        table.names, table.hold_bonus, tasks, missing, number(means.plain), number(means.held),
        rivals_json(means.rivals));
}

}  // namespace sluice::bench
