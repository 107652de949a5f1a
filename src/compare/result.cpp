#include "result.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "csv_text.hpp"
#include "format_to.hpp"
#include "json_text.hpp"

namespace sluice::compare {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

double over_variance(const RootMeanSquare& error, double deviation) {
    if (error.count == 0 || !(deviation > 0.0)) {
        return kNone;
    }
    const double ratio = error.value / deviation;
    return ratio * ratio;
}

// Of one target, window by window.
struct TargetCurve {
    std::vector<std::uint64_t> scored;
    std::vector<double> in_window;
    std::vector<double> cumulated;
};

TargetCurve curve_of(const Trial& trial, std::size_t target) {
    const double deviation = trial.tally().scores()[target].deviation();
    TargetCurve curve;
    RootMeanSquare all;
    for (const ErrorCurve::Window& window : trial.curve().windows()) {
        all.join(window.outputs[target]);
        curve.scored.push_back(window.outputs[target].count);
        curve.in_window.push_back(over_variance(window.outputs[target], deviation));
        curve.cumulated.push_back(over_variance(all, deviation));
    }
    return curve;
}

// Of the numbers that are not NaN; NaN where there is none.
double mean_of(const std::vector<double>& numbers) {
    double mean = 0.0;
    double count = 0.0;
    for (const double number : numbers) {
        if (!std::isnan(number)) {
            count += 1.0;
            mean += (number - mean) / count;
        }
    }
    return count > 0.0 ? mean : kNone;
}

double largest_of(const std::vector<double>& numbers) {
    double largest = kNone;
    for (const double number : numbers) {
        largest = std::fmax(largest, number);
    }
    return largest;
}

void set_curves(MethodResult& method, const Trial& trial) {
    std::vector<TargetCurve> curves;
    for (std::size_t j = 0; j < method.targets.size(); ++j) {
        curves.push_back(curve_of(trial, j));
    }
    const std::size_t windows = trial.curve().windows().size();
    std::vector<double> of_targets(curves.size());
    for (std::size_t w = 0; w < windows; ++w) {
        std::ranges::transform(curves, of_targets.begin(), [&](const TargetCurve& c) { return c.in_window[w]; });
        method.in_window.push_back(mean_of(of_targets));
        std::ranges::transform(curves, of_targets.begin(), [&](const TargetCurve& c) { return c.cumulated[w]; });
        method.cumulated.push_back(mean_of(of_targets));
    }
}

MethodResult method_result(const Trial& trial) {
    const Entry& entry = trial.entry();
    MethodResult method{.name = entry.name,
                        .title = entry.title,
                        .paper = entry.paper,
                        .selects = entry.selects,
                        .failure = trial.failure()};
    std::vector<double> errors;
    for (const Score& score : trial.tally().scores()) {
        method.targets.push_back(
            {.scored = score.count(), .error_over_variance = score.error_over_variance(), .rmse = score.rmse()});
        errors.push_back(score.error_over_variance());
    }
    method.mean_error = mean_of(errors);
    method.worst_error = largest_of(errors);
    method.rows = trial.tally().rows();
    method.names = trial.mean_names();
    method.turnover = trial.tally().mean_turnover();
    constexpr double kMicroseconds = 1e6;
    method.microseconds_per_row =
        method.rows > 0 ? kMicroseconds * trial.seconds() / static_cast<double>(method.rows) : 0.0;
    method.bytes = trial.bytes();
    set_curves(method, trial);
    return method;
}

// NaN after every number, those that failed after all others.
bool comes_before(const MethodResult& a, const MethodResult& b) {
    if (a.failure.empty() != b.failure.empty()) {
        return a.failure.empty();
    }
    return !std::isnan(a.mean_error) && (std::isnan(b.mean_error) || a.mean_error < b.mean_error);
}

void mark_best(std::vector<MethodResult>& sorted) {
    const auto counts = [](const MethodResult& m) { return m.failure.empty() && !std::isnan(m.mean_error); };
    if (const auto at = std::ranges::find_if(sorted, counts); at != sorted.end()) {
        at->best = true;
    }
    if (const auto at = std::ranges::find_if(sorted, [&](const auto& m) { return m.selects && counts(m); });
        at != sorted.end()) {
        at->best_selecting = true;
    }
}

}  // namespace

CompareResult result_of(const CompareJob& job) {
    CompareResult result{.input = job.settings().input,
                         .targets = job.roles().targets,
                         .rows = job.rows(),
                         .skipped = job.skipped(),
                         .warmup = job.settings().warmup,
                         .inputs = job.input_names().size(),
                         .horizon = job.settings().layout.horizon,
                         .names = job.settings().names,
                         .methods = {}};
    std::ranges::transform(job.trials(), std::back_inserter(result.methods), method_result);
    std::ranges::stable_sort(result.methods, comes_before);
    mark_best(result.methods);
    return result;
}

std::string result_json(const CompareResult& result) {
    std::string out;
    io::JsonWriter json(out, io::JsonWriter::spaced);
    json.begin_object()
        .member("input", result.input)
        .member("rows", result.rows)
        .member("skipped", result.skipped)
        .member("warmup", result.warmup)
        .member("inputs", result.inputs)
        .member("horizon", result.horizon)
        .member("names", result.names)
        .key("targets")
        .list(result.targets)
        .key("methods")
        .begin_list();
    for (const MethodResult& method : result.methods) {
        json.begin_object()
            .member("name", method.name)
            .member("title", method.title)
            .member("paper", method.paper)
            .member("selects", method.selects)
            .member("best", method.best)
            .member("best_selecting", method.best_selecting)
            .key("failure");
        method.failure.empty() ? json.encoded("null") : json.value(method.failure);
        json.member("mean_error_over_variance", method.mean_error)
            .member("worst_error_over_variance", method.worst_error)
            .key("targets")
            .begin_object();
        for (std::size_t j = 0; j < method.targets.size(); ++j) {
            json.key(result.targets[j])
                .begin_object()
                .member("error_over_variance", method.targets[j].error_over_variance)
                .member("rmse", method.targets[j].rmse)
                .member("scored", method.targets[j].scored)
                .end_object();
        }
        json.end_object()
            .member("rows", method.rows)
            .member("names_used", method.names)
            .member("turnover", method.turnover)
            .member("microseconds_per_row", method.microseconds_per_row)
            .member("bytes", method.bytes)
            .end_object();
    }
    json.end_list().end_object();
    return out + "\n";
}

std::string curves_csv(const CompareJob& job) {
    std::string out = "row,time,method,target,scored,error_over_variance,cumulated\n";
    const auto number = [](double value) { return std::isnan(value) ? std::string() : fmt::format("{}", value); };
    for (const Trial& trial : job.trials()) {
        for (std::size_t j = 0; j < job.roles().targets.size(); ++j) {
            const TargetCurve curve = curve_of(trial, j);
            for (std::size_t w = 0; w < curve.scored.size(); ++w) {
                const WindowRows::Window& rows = job.windows().windows()[w];
                fmt::format_to(std::back_inserter(out), "{},", rows.last);
                io::append_cell(out, rows.time);
                fmt::format_to(std::back_inserter(out), ",{},", trial.entry().name);
                io::append_cell(out, job.roles().targets[j]);
                fmt::format_to(std::back_inserter(out), ",{},{},{}\n", curve.scored[w], number(curve.in_window[w]),
                               number(curve.cumulated[w]));
            }
        }
    }
    return out;
}

}  // namespace sluice::compare
