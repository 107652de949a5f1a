// single.cpp -- figure 2: the true blocks, and what each component selects in one run.
#include "experiments/single/single.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "experiments/common/heatmap.hpp"
#include "experiments/common/paper_run.hpp"
#include "experiments/common/plot.hpp"
#include "experiments/common/text.hpp"

namespace sluice::experiments {

namespace {

using Selections = std::vector<std::vector<std::size_t>>;  // variables, ascending, by row

// One run with what was selected at each row.
struct Watched {
    RunSummary run;
    std::array<Selections, kComponents> selected;
    Selections large;  // variables that have large coefficients
    Selections small;
};

std::vector<std::size_t> group_variables(int group) {
    std::vector<std::size_t> variables(PaperStream::group_size);
    std::iota(variables.begin(), variables.end(), static_cast<std::size_t>(group) * PaperStream::group_size);
    return variables;
}

// The on-line model that notes down what it selects.
class Noting {
  public:
    Noting(const StreamOptions& options, Watched& notes) : model_(options), notes_(notes) {}
    double step(std::span<const double> x, double y) {
        const double predicted = model_.step(x, y);
        for (std::size_t r = 0; r < kComponents; ++r) {
            const auto now = model_.selected(r);
            notes_.selected.at(r).emplace_back(now.begin(), now.end());
        }
        return predicted;
    }
    [[nodiscard]] std::span<const std::size_t> selected(std::size_t component) const {
        return model_.selected(component);
    }

  private:
    OnLine model_;
    Watched& notes_;
};

Watched watch(const Plan& plan, const StreamOptions& options) {
    Watched watched;
    Plan once = plan;
    once.runs = 1;
    watched.run = many_runs(once, kSwitchingRows, [&](std::uint64_t seed) {
        PaperStream truth(PaperStream::Kind::switching, seed, plan.third_phase);
        for (std::size_t t = 0; t < kSwitchingRows; ++t) {
            const PaperStream::Row row = truth.next();
            watched.large.push_back(group_variables(row.large));
            watched.small.push_back(group_variables(row.small));
        }
        return follow(Noting(options, watched), PaperStream(PaperStream::Kind::switching, seed, plan.third_phase),
                      kSwitchingRows);
    });
    return watched;
}

// Share of all selected variables that have no coefficient, over rows `from` to `to`.
double inactive_share(const Watched& watched, std::size_t from, std::size_t to) {
    double inactive = 0.0;
    double all = 0.0;
    for (std::size_t t = from - 1; t < to; ++t) {
        const std::size_t large = watched.large[t].front() / PaperStream::group_size;
        const std::size_t small = watched.small[t].front() / PaperStream::group_size;
        for (const Selections& selections : watched.selected) {
            for (const std::size_t variable : selections[t]) {
                const std::size_t group = variable / PaperStream::group_size;
                inactive += group != large && group != small ? 1.0 : 0.0;
                all += 1.0;
            }
        }
    }
    return inactive / all;
}

void add_claims(Result& result, const Watched& watched) {
    const Curve& one = watched.run.component[0];
    const Curve& two = watched.run.component[1];
    // Rows at the end of each phase, when the model has settled.
    const auto settled = [](const Curve& curve) {
        return std::array{average(curve.mean, 81, 100), average(curve.mean, 251, 300), average(curve.mean, 391, 400)};
    };
    const auto first = settled(one);
    const auto second = settled(two);
    const auto verdict = [](const std::array<double, 3>& shares) {
        constexpr double kAccurate = 0.9;
        const auto good = std::ranges::count_if(shares, [](double s) { return s >= kAccurate; });
        return good == 3 ? Verdict::holds : good > 0 ? Verdict::in_part : Verdict::fails;
    };
    result.claims.push_back({.claim = "The first component accurately selects the most important group.",
                             .measured = fmt::format("right over rows 81-100, 251-300, 391-400: {}, {}, {}",
                                                     percent(first[0]), percent(first[1]), percent(first[2])),
                             .verdict = verdict(first)});
    result.claims.push_back({.claim = "The second component always selects the second most important group.",
                             .measured = fmt::format("right over the same rows: {}, {}, {}", percent(second[0]),
                                                     percent(second[1]), percent(second[2])),
                             .verdict = verdict(second)});
    const double calm = std::max(
        {inactive_share(watched, 81, 100), inactive_share(watched, 251, 300), inactive_share(watched, 391, 400)});
    const double after = inactive_share(watched, kTakeOver, kTakeOver + 49);
    result.claims.push_back(
        {.claim = "Neither component selects the inactive variables.",
         .measured =
             fmt::format("inactive among the selected: at most {:.1f} % over the same rows, but {:.1f} % over the 50 "
                         "rows after the change at row 301, when group 1 has just become inactive",
                         100.0 * calm, 100.0 * after),
         .verdict = calm > 0.02    ? Verdict::fails
                    : after > 0.02 ? Verdict::in_part
                                   : Verdict::holds});
    const auto swap = first_row_at(one, 0.9, kSwap, kTakeOver - 1);
    const auto take_over = first_row_at(one, 0.9, kTakeOver, kSwitchingRows);
    constexpr std::size_t kFew = 30;
    const bool few = swap && *swap <= kSwap + kFew && take_over && *take_over <= kTakeOver + kFew;
    result.claims.push_back(
        {.claim = "As the coefficients switch, only few data points are needed before the change is detected.",
         .measured = fmt::format("after the two changes, the first component is 90 % right again at {} and at {}",
                                 row_or_none(swap, kTakeOver - 1), row_or_none(take_over, kSwitchingRows)),
         .verdict = few                 ? Verdict::holds
                    : swap || take_over ? Verdict::in_part
                                        : Verdict::fails});
}

// "1 2 20": variables are counted from 1, as in the paper.
std::string numbers(const std::vector<std::size_t>& variables, const char* between) {
    std::string out;
    for (const std::size_t variable : variables) {
        out += fmt::format("{}{}", out.empty() ? "" : between, variable + 1);
    }
    return out;
}

std::string selected_json(const Selections& selections) {
    std::string out = "[";
    for (const auto& row : selections) {
        out += fmt::format("{}[{}]", out.size() > 1 ? "," : "", numbers(row, ","));
    }
    return out + "]";
}

std::string components_json(const Watched& watched) {
    std::string out = R"("component":[)";
    for (std::size_t r = 0; r < kComponents; ++r) {
        const Curve& curve = watched.run.component[r];
        out += fmt::format(R"({}{{"mean":{},"sd":{},"selected":{}}})", r == 0 ? "" : ",", json(curve.mean),
                           json(curve.sd), selected_json(watched.selected.at(r)));
    }
    return out + "]";
}

std::string selected_csv(const Watched& watched) {
    std::string out = "row,large_from,large_to,small_from,small_to,component_1,component_2\n";
    for (std::size_t t = 0; t < kSwitchingRows; ++t) {
        const auto& large = watched.large[t];
        const auto& small = watched.small[t];
        out +=
            fmt::format("{},{},{},{},{},{},{}\n", t + 1, large.front() + 1, large.back() + 1, small.front() + 1,
                        small.back() + 1, numbers(watched.selected[0][t], " "), numbers(watched.selected[1][t], " "));
    }
    return out;
}

}  // namespace

std::size_t single_rows(const Plan& /*plan*/) {
    return kSwitchingRows;
}

Result run_single(const Plan& plan) {
    const StreamOptions options = paper_options(0.98);
    const Watched watched = watch(plan, options);
    Result result{.name = "single",
                  .title = "Figure 2: what is selected in one run",
                  .question = "Which inputs does each component select over time, and which ones matter in truth?",
                  .settings = settings_of(plan, options)};
    add_claims(result, watched);
    result.figures.push_back(
        {.name = "single",
         .caption =
             "One run, forgetting 0.98. Top: the truth; strong: large coefficients, faint: smaller ones, blank: none. "
             "Below: the 20 variables that each component selects at each row.",
         .svg = draw(Heatmap{
             .about = "True blocks and selected variables over 400 rows",
             .groups = equal_groups(PaperStream::inputs / PaperStream::group_size, PaperStream::group_size),
             .panels = {
                 {.title = "Truth: large coefficients strong, smaller ones faint",
                  .layers = {{.style = "black", .marked = watched.large}, {.style = "grey", .marked = watched.small}}},
                 {.title = "Selected by component 1", .layers = {{.style = "f0", .marked = watched.selected[0]}}},
                 {.title = "Selected by component 2", .layers = {{.style = "f1", .marked = watched.selected[1]}}}}})});
    std::vector<Panel> panels;
    for (std::size_t r = 0; r < kComponents; ++r) {
        panels.push_back({.title = fmt::format("Component {}", r + 1),
                          .scale = Scale::percent,
                          .lines = {{.name = "this run", .mean = watched.run.component[r].mean, .style = r}}});
    }
    panels.push_back({.title = "One-step-ahead error",
                      .scale = Scale::logarithm,
                      .lines = {{.name = "this run", .mean = watched.run.error, .style = 2}}});
    result.figures.push_back(
        {.name = "single-shares",
         .caption = "The same run as shares of right variables, and the squared error of each prediction, "
                    "made before the row was learnt, over the variance of the output.",
         .svg = draw(Plot{.about = "Shares of right variables and errors of the same run",
                          .panels = std::move(panels),
                          .changes = {kSwap, kTakeOver}})});
    result.series.push_back({.name = "single", .csv = selected_csv(watched)});
    result.differs = {
        "Data are centred, and the third phase is read as for figure 3.",
        "This is a single run: another `--seed` gives another picture. Figure 3 shows the average of many."};
    result.json =
        json_line(result, 1, kSwitchingRows,
                  fmt::format(R"({},"error_over_variance":{})", components_json(watched), json(watched.run.error)));
    return result;
}

}  // namespace sluice::experiments
