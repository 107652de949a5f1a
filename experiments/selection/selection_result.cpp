// selection_result.cpp -- what was measured, as claims, goals, tables, figures and JSON.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "experiments/common/paper_run.hpp"
#include "experiments/common/plot.hpp"
#include "experiments/common/put.hpp"
#include "experiments/common/text.hpp"
#include "experiments/selection/selection.hpp"

namespace sluice::experiments {

namespace {

constexpr double kMostError = 1.03;  // of the error with all names
constexpr double kLeastEmpty = 0.95;
constexpr double kLeastSwitching = 0.95;

std::vector<double> f1_by_row(const NameSummary& summary) {
    std::vector<double> f1;
    std::ranges::transform(summary.by_row, std::back_inserter(f1), &NameCounts::f1);
    return f1;
}

// Of how many it is true, as a verdict.
Verdict verdict_of(std::ptrdiff_t reached, std::size_t all) {
    return std::cmp_equal(reached, all) ? Verdict::holds : reached > 0 ? Verdict::in_part : Verdict::fails;
}

// One number for each stream, in words.
template <typename Number>
std::string list_of(const std::vector<NamesMeasured>& all, fmt::format_string<double> format, const Number& number) {
    std::string text;
    for (const NamesMeasured& one : all) {
        text += text.empty() ? "" : ", ";
        text += fmt::format(format, number(one));
    }
    return text;
}

void add_claims(Result& result, const SelectionMeasured& all) {
    const auto add = [&](std::string claim, std::string measured, Verdict verdict) {
        result.claims.push_back(
            {.claim = std::move(claim), .measured = std::move(measured), .verdict = verdict, .ours = true});
    };
    const auto count = [](const std::vector<NamesMeasured>& of, const auto& reached) {
        return verdict_of(std::ranges::count_if(of, reached), of.size());
    };
    add("Left alone, the model selects the inputs that drive the output, and no others.",
        "F1 of the names, stream by stream: " +
            list_of(all.cases, "{:.2f}", [](const auto& one) { return one.found.counts.f1(); }) +
            fmt::format("; with all {} names: ", all.scenario.names) +
            list_of(all.cases, "{:.2f}", [](const auto& one) { return one.given.counts.f1(); }),
        count(all.cases, [](const auto& one) { return one.found.counts.f1() >= one.one.least_f1; }));
    add(fmt::format("Few names cost at most 3 % of error beside {} names.", all.scenario.names),
        all.models_differ() ? "error over that with all names: " +
                                  list_of(all.cases, "{:.3f}", [](const auto& one) { return one.error_ratio(); })
                            : "both models select the same names in every row",
        all.models_differ() ? count(all.cases, [](const auto& one) { return one.error_ratio() <= kMostError; })
                            : Verdict::not_tested);
    add(fmt::format("After a change the new names are in within {} rows.", kTimely),
        "rows until all of them are in, mean: " +
            list_of(all.cases, "{:.0f}", [](const auto& one) { return one.found.mean_wait; }) + "; at worst: " +
            list_of(all.cases, "{:.0f}", [](const auto& one) { return static_cast<double>(one.found.worst_wait); }),
        count(all.cases, [](const auto& one) { return one.found.mean_wait <= static_cast<double>(kTimely); }));
    add("From noise no name is selected.",
        "share of the rows without any name: " +
            list_of(all.noise, "{:.3f}", [](const auto& one) { return one.found.empty_share; }),
        count(all.noise, [](const auto& one) { return one.found.empty_share >= kLeastEmpty; }));
    const double right = all.switching.counts.precision();
    add("On the paper's switching stream the names belong to groups that drive the output.",
        fmt::format("share of the names selected: {:.3f}; {:.1f} names a row", right, all.switching.names),
        right >= kLeastSwitching ? Verdict::holds : Verdict::fails);
}

void add_goals(Result& result, const SelectionMeasured& all) {
    const auto add = [&](std::string what, double reference, double measured, bool at_most = false) {
        result.checks.push_back({.what = std::move(what),
                                 .reference = reference,
                                 .measured = measured,
                                 .is_goal = true,
                                 .at_most = at_most});
    };
    for (const NamesMeasured& one : all.cases) {
        add(one.stream.name + ": F1", one.one.least_f1, one.found.counts.f1());
        if (all.models_differ()) {
            add(fmt::format("{}: error over that with {} names", one.stream.name, all.scenario.names), kMostError,
                one.error_ratio(), true);
        }
        add(one.stream.name + ": rows until the new names are in, mean", static_cast<double>(kTimely),
            one.found.mean_wait, true);
    }
    for (const NamesMeasured& one : all.noise) {
        add(one.stream.name + ": share of rows without any name", kLeastEmpty, one.found.empty_share);
    }
    add("switching: share of the names that drive the output", kLeastSwitching, all.switching.counts.precision());
}

std::string wait_text(const NameSummary& summary) {
    return fmt::format("{:.1f} / {}{}", summary.mean_wait, summary.worst_wait,
                       summary.never > 0 ? fmt::format(" ({} never)", summary.never) : "");
}

Table names_table(const SelectionMeasured& all, std::size_t runs) {
    const std::size_t names = all.scenario.names;
    const auto& scored = all.cases.front().stream.scored;
    std::string rows;
    for (const Stretch& stretch : scored) {
        rows += fmt::format("{}{} to {}", rows.empty() ? "" : " and ", stretch.from, stretch.to);
    }
    Table table{.title = fmt::format("Names selected in rows {}, and one-step error over variance from row {} on ({} "
                                     "seed{})",
                                     rows, all.scenario.from, runs, runs == 1 ? "" : "s"),
                .head = {"stream", "precision", "recall", "F1", "goal", "names", "error",
                         "rows until all are in: mean / worst", fmt::format("within {}", kTimely),
                         fmt::format("{} names: F1", names), "names", "error", "rows until all are in", "error ratio"},
                .rows = {}};
    for (const NamesMeasured& one : all.cases) {
        const NameSummary& found = one.found;
        table.rows.push_back({one.stream.name, fmt::format("{:.3f}", found.counts.precision()),
                              fmt::format("{:.3f}", found.counts.recall()), fmt::format("{:.3f}", found.counts.f1()),
                              fmt::format("{:.2f}", one.one.least_f1), fmt::format("{:.1f}", found.names),
                              fmt::format("{:.4f}", found.error_over_variance), wait_text(found),
                              percent(found.timely_share), fmt::format("{:.3f}", one.given.counts.f1()),
                              fmt::format("{:.1f}", one.given.names),
                              fmt::format("{:.4f}", one.given.error_over_variance), wait_text(one.given),
                              fmt::format("{:.3f}", one.error_ratio())});
    }
    return table;
}

Table other_table(const SelectionMeasured& all) {
    Table table{.title = "Noise, and the paper's switching stream with nothing given",
                .head = {"stream", "rows without any name", "names a row", "names that drive the output",
                         "error over variance"},
                .rows = {}};
    for (const NamesMeasured& one : all.noise) {
        table.rows.push_back({one.stream.name, fmt::format("{:.3f}", one.found.empty_share),
                              fmt::format("{:.2f}", one.found.names), "-",
                              fmt::format("{:.3f}", one.found.error_over_variance)});
    }
    table.rows.push_back({"switching", fmt::format("{:.3f}", all.switching.empty_share),
                          fmt::format("{:.2f}", all.switching.names),
                          fmt::format("{:.3f}", all.switching.counts.precision()),
                          fmt::format("{:.4f}", all.switching.error_over_variance)});
    return table;
}

void add_figures(Result& result, const SelectionMeasured& all, std::size_t runs) {
    Plot f1{.about = "F1 of the names selected, row by row", .panels = {}, .changes = {}};
    Plot names{.about = "Number of names selected, row by row", .panels = {}, .changes = {}};
    const std::string given = fmt::format("{} names", all.scenario.names);
    for (const NamesMeasured& one : all.cases) {
        const SelectionOptions& options = one.one.options;
        std::vector<double> truth(one.stream.rows, static_cast<double>(options.drivers));
        if (options.change_at > 0 && options.change_at < truth.size()) {
            std::fill(truth.begin() + static_cast<std::ptrdiff_t>(options.change_at), truth.end(),
                      static_cast<double>(options.drivers_after.value_or(options.drivers)));
            f1.changes = names.changes = {options.change_at + 1};
        }
        f1.panels.push_back({.title = one.stream.name,
                             .scale = Scale::percent,
                             .lines = {{.name = "names found", .mean = f1_by_row(one.found), .style = 0},
                                       {.name = given, .mean = f1_by_row(one.given), .style = 1}},
                             .upwards = "F1 of the names, %"});
        names.panels.push_back({.title = one.stream.name,
                                .scale = Scale::count,
                                .lines = {{.name = "names found", .mean = one.found.names_by_row, .style = 0},
                                          {.name = given, .mean = one.given.names_by_row, .style = 1},
                                          {.name = "drivers", .mean = std::move(truth), .style = 2}},
                                .upwards = "names"});
    }
    result.figures.push_back(
        {.name = "selection-f1",
         .caption = fmt::format("F1 of the names selected after each row, counts added over {} seeds. Dotted line: "
                                "other inputs drive the output from here on.",
                                runs),
         .svg = draw(f1)});
    result.figures.push_back(
        {.name = "selection-names",
         .caption =
             fmt::format("Number of names selected after each row, mean of {} seeds, beside the number of inputs "
                         "that drive the output.",
                         runs),
         .svg = draw(names)});
}

std::string series_of(const SelectionMeasured& all) {
    std::vector<Column> columns;
    for (std::size_t i = 0; i < all.cases.size(); ++i) {
        const NamesMeasured& one = all.cases[i];
        const auto add = [&](const char* what, const NameSummary& summary) {
            columns.push_back({.name = fmt::format("stream_{}_{}_f1", i + 1, what), .values = f1_by_row(summary)});
            columns.push_back({.name = fmt::format("stream_{}_{}_names", i + 1, what), .values = summary.names_by_row});
        };
        add("found", one.found);
        add("given", one.given);
    }
    for (std::size_t i = 0; i < all.noise.size(); ++i) {
        columns.push_back({.name = fmt::format("noise_{}_names", i + 1), .values = all.noise[i].found.names_by_row});
    }
    return csv(columns);
}

std::string json_of(const NameSummary& summary) {
    return fmt::format(
        R"({{"precision":{},"recall":{},"f1":{},"names":{},"error_over_variance":{},"rows_until_in":{{"mean":{},"worst":{},"never":{},"within_{}":{}}},"f1_by_row":{},"names_by_row":{}}})",
        summary.counts.precision(), summary.counts.recall(), summary.counts.f1(), summary.names,
        summary.error_over_variance, summary.mean_wait, summary.worst_wait, summary.never, kTimely,
        summary.timely_share, json(f1_by_row(summary)), json(summary.names_by_row));
}

std::string json_of(const SelectionMeasured& all) {
    std::string out = R"("streams":[)";
    const char* between = "";
    for (const NamesMeasured& one : all.cases) {
        const SelectionOptions& options = one.one.options;
        put(out,
            R"({}{{"inputs":{},"correlation":{},"snr":{},"drivers":{},"drivers_after":{},"goal_f1":{},"found":{},"given":{},"error_ratio":{}}})",
            std::exchange(between, ","), options.inputs, options.correlation, options.signal_to_noise, options.drivers,
            options.drivers_after.value_or(options.drivers), one.one.least_f1, json_of(one.found), json_of(one.given),
            one.error_ratio());
    }
    out += R"(],"noise":[)";
    between = "";
    for (const NamesMeasured& one : all.noise) {
        put(out, R"({}{{"inputs":{},"rows_without_names":{},"names":{}}})", std::exchange(between, ","),
            one.one.options.inputs, one.found.empty_share, one.found.names);
    }
    put(out, R"(],"switching":{{"share_right":{},"names":{},"error_over_variance":{}}})",
        all.switching.counts.precision(), all.switching.names, all.switching.error_over_variance);
    return out;
}

}  // namespace

Result selection_result(const Plan& plan, const SelectionMeasured& all) {
    Result result{
        .name = "selection",
        .title = "Beyond the paper: left alone, it selects",
        .question =
            "Given nothing but the output, does the model select the inputs that drive it, and no others? A few of "
            "many "
            "inputs do, with coefficients of magnitude 1 to 2 and noise; from one row on, other inputs do. rho is the "
            "correlation of any two inputs, snr the variance of the signal over that of the noise.",
        .settings = {{"seed", fmt::format("{}", plan.seed)},
                     {"seeds", fmt::format("{}", plan.runs)},
                     {"names", fmt::format("{}", all.scenario.names)}}};
    add_claims(result, all);
    if (plan.runs > 1) {
        add_goals(result, all);
    }
    add_figures(result, all, plan.runs);
    result.tables = {names_table(all, plan.runs), other_table(all)};
    result.series.push_back({.name = "selection", .csv = series_of(all)});
    result.differs = {
        "None of these streams but the last is in the paper, which leaves the number of variables to the user.",
        "A name counts after each row: one that enters for a single row is counted for that row. New names are in once "
        "all of them were selected after the same row; where that never happens, all rows that are left count."};
    result.json = json_line(result, plan.runs, all.scenario.rows, json_of(all));
    return result;
}

}  // namespace sluice::experiments
