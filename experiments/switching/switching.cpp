// switching.cpp -- figure 3: both components where the truth changes at rows 101 and 301, forgetting 0.98.
#include "experiments/switching/switching.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "experiments/common/paper_run.hpp"
#include "experiments/common/plot.hpp"
#include "experiments/common/reference.hpp"
#include "experiments/common/text.hpp"

namespace sluice::experiments {

namespace {

constexpr double kSwitchingForgetting = 0.98;
constexpr double kAdapted = 0.9;

const std::array<Reference, 10>& switching_reference() {
    static const std::array<Reference, 10> kTable = {Reference{.row = 100, .first = 0.98, .second = 0.97},
                                                     Reference{.row = 111, .first = 0.20},
                                                     Reference{.row = 121, .first = 0.46},
                                                     Reference{.row = 131, .first = 0.69},
                                                     Reference{.row = 151, .first = 0.91},
                                                     Reference{.row = 201, .first = 0.99},
                                                     Reference{.row = 300, .first = 1.00, .second = 1.00},
                                                     Reference{.row = 331, .first = 0.03},
                                                     Reference{.row = 351, .first = 0.27},
                                                     Reference{.row = 400, .first = 0.90, .second = 0.90}};
    return kTable;
}

void add_claims(Result& result, const RunSummary& runs) {
    const Curve& one = runs.component[0];
    const Curve& two = runs.component[1];
    const double stationary = std::min({one.mean_at(100), two.mean_at(100), one.mean_at(300), two.mean_at(300)});
    result.claims.push_back(
        {.claim = "Where the data is stationary, the important variables are selected with very little error.",
         .measured = fmt::format("mean and deviation at row 100: {:.2f} ± {:.2f} and {:.2f} ± {:.2f}; at row 300: "
                                 "{:.2f} ± {:.2f} and {:.2f} ± {:.2f}",
                                 one.mean_at(100), one.sd_at(100), two.mean_at(100), two.sd_at(100), one.mean_at(300),
                                 one.sd_at(300), two.mean_at(300), two.sd_at(300)),
         .verdict = stationary >= kAdapted ? Verdict::holds : Verdict::fails});

    const auto first = first_row_at(one, kAdapted, kSwap, kTakeOver - 1);
    const auto second = first_row_at(one, kAdapted, kTakeOver, kSwitchingRows);
    constexpr std::size_t kQuick = 50;  // rows: what forgetting 0.98 remembers
    const bool quick_first = first && *first < kSwap + kQuick;
    const bool quick_second = second && *second < kTakeOver + kQuick;
    result.claims.push_back(
        {.claim = "At a change the share instantly decreases and quickly adapts to the new data.",
         .measured =
             fmt::format("the first component falls to {:.2f} at row 101 and {:.2f} at row 301; it is 90 % right "
                         "again at {} after the first change and at {} after the second",
                         one.mean_at(kSwap), one.mean_at(kTakeOver), row_or_none(first, kTakeOver - 1),
                         row_or_none(second, kSwitchingRows)),
         .verdict = quick_first && quick_second ? Verdict::holds
                    : first || second           ? Verdict::in_part
                                                : Verdict::fails});

    const double calm = std::max({one.sd_at(100), one.sd_at(300)});
    const double moved = std::max(largest(one.sd, kSwap, 200), largest(one.sd, kTakeOver, kSwitchingRows));
    result.claims.push_back({.claim = "While it settles, the variability of the result increases.",
                             .measured = fmt::format("largest deviation of the first component after a change: {:.2f}; "
                                                     "right before a change at most {:.2f}",
                                                     moved, calm),
                             .verdict = moved > 2.0 * calm ? Verdict::holds : Verdict::fails});
}

}  // namespace

std::size_t switching_rows(const Plan& plan) {
    return plan.runs * kSwitchingRows;
}

Result run_switching(const Plan& plan) {
    const StreamOptions options = paper_options(kSwitchingForgetting);
    const RunSummary runs = on_line_runs(plan, PaperStream::Kind::switching, options);
    Result result{.name = "switching",
                  .title = "Figure 3: both components on a stream that changes twice",
                  .question =
                      "How well do the two components follow the two groups that matter, when these swap at row "
                      "101 and group 3 takes over at row 301?",
                  .settings = settings_of(plan, options)};
    add_claims(result, runs);

    std::vector<Panel> panels;
    for (std::size_t r = 0; r < kComponents; ++r) {
        panels.push_back({.title = fmt::format("Component {}", r + 1),
                          .scale = Scale::percent,
                          .lines = {{.name = fmt::format("component {}, mean and deviation", r + 1),
                                     .mean = runs.component[r].mean,
                                     .sd = runs.component[r].sd,
                                     .style = r}}});
    }
    panels.push_back({.title = "One-step-ahead error",
                      .scale = Scale::logarithm,
                      .lines = {{.name = "both components", .mean = runs.error, .style = 2}}});
    result.figures.push_back(
        {.name = "switching",
         .caption = fmt::format(
             "Share of each component's variables that are right, forgetting 0.98: mean of {} runs, "
             "shaded one standard deviation on both sides. Dotted lines: the truth changes. Right: mean squared error "
             "one step ahead over the variance of the output.",
             plan.runs),
         .svg = draw(Plot{.about = "Share of right variables of both components over 400 rows, and the error",
                          .panels = std::move(panels),
                          .changes = {kSwap, kTakeOver}})});

    std::vector<Column> columns;
    add_columns(columns, "component", runs.component);
    columns.push_back({.name = "error_over_variance", .values = runs.error});
    result.series.push_back({.name = "switching", .csv = csv(columns)});

    add_checks(result.checks, plan, "switching, forgetting 0.98", runs.component, switching_reference());
    result.differs = {
        "Data are centred, and the loadings come from the weighted moments. See `literal`.",
        "Third phase: the text gives group 3 coefficients near 10 and does not mention group 2; the caption of figure "
        "2 "
        "says that one block is always small. `--third-phase caption` (default) gives group 2 coefficients near 5, "
        "`--third-phase text` leaves those of the second phase, near 10.",
        "Adapting to the second change takes longer because 200 rows of the second phase precede it; at forgetting "
        "0.98 "
        "they weigh as much as 50 rows, and 36 % of that weight is left after 50 more rows."};
    result.json =
        json_line(result, plan.runs, kSwitchingRows,
                  fmt::format(R"("component":{},"error_over_variance":{})", json(runs.component), json(runs.error)));
    return result;
}

}  // namespace sluice::experiments
