// forgetting.cpp -- figure 4: the first component under four forgetting factors.
#include "experiments/forgetting/forgetting.hpp"

#include <fmt/format.h>

#include <array>

#include "experiments/common/paper_run.hpp"
#include "experiments/common/plot.hpp"
#include "experiments/common/reference.hpp"
#include "experiments/common/text.hpp"

namespace sluice::experiments {

namespace {

constexpr std::array<double, 4> kFactors = {0.9, 0.95, 0.98, 1.0};

const std::array<std::vector<Reference>, 4>& forgetting_reference() {
    static const std::array<std::vector<Reference>, 4> kTables = {
        std::vector<Reference>{{.row = 100, .first = 0.87, .second = 0.71},
                               {.row = 111, .first = 0.70},
                               {.row = 121, .first = 0.86},
                               {.row = 300, .first = 0.93, .second = 0.74},
                               {.row = 321,
                                .first = 0.72,
                                .note = "0.79 in the prototype's table of 40 to 150 runs; 0.72 over 3,000 runs here"},
                               {.row = 400, .first = 0.88, .second = 0.69}},
        std::vector<Reference>{{.row = 100, .first = 0.94, .second = 0.90},
                               {.row = 121, .first = 0.77},
                               {.row = 131, .first = 0.90},
                               {.row = 300, .first = 0.99, .second = 0.92},
                               {.row = 321, .first = 0.39},
                               {.row = 351, .first = 0.87},
                               {.row = 400, .first = 0.95, .second = 0.86}},
        std::vector<Reference>{{.row = 100, .first = 0.98, .second = 0.97},
                               {.row = 121, .first = 0.46},
                               {.row = 151, .first = 0.91},
                               {.row = 300, .first = 1.00, .second = 1.00},
                               {.row = 351, .first = 0.27},
                               {.row = 400, .first = 0.90, .second = 0.90}},
        std::vector<Reference>{{.row = 100, .first = 0.99, .second = 0.99},
                               {.row = 151, .first = 0.38},
                               {.row = 201, .first = 0.83},
                               {.row = 300, .first = 0.99, .second = 0.99},
                               {.row = 351, .first = 0.00},
                               {.row = 400, .first = 0.00}}};
    return kTables;
}

struct Measured {
    double forgetting = 1.0;
    RunSummary runs;
    [[nodiscard]] const Curve& first() const { return runs.component[0]; }
};

void add_claims(Result& result, const std::vector<Measured>& all) {
    const Curve& quick = all[0].first();
    const Curve& usual = all[2].first();
    const Curve& never = all[3].first();
    constexpr double kMostly = 0.8;
    const auto slow = first_row_at(never, kMostly, kSwap, kTakeOver - 1);
    result.claims.push_back(
        {.claim = "With forgetting 1 the algorithm is very slow to adapt to changes.",
         .measured =
             fmt::format("80 % right again at {} after the change at row 101; {} right at row 400, 100 rows after "
                         "the change at row 301",
                         row_or_none(slow, kTakeOver - 1), percent(never.mean_at(kSwitchingRows))),
         .verdict =
             never.mean_at(kSwitchingRows) < 0.1 && (!slow || *slow > kSwap + 50) ? Verdict::holds : Verdict::fails});

    const auto first = first_row_at(quick, kMostly, kSwap, kTakeOver - 1);
    const auto second = first_row_at(quick, kMostly, kTakeOver, kSwitchingRows);
    const auto usual_first = first_row_at(usual, kMostly, kSwap, kTakeOver - 1);
    const auto usual_second = first_row_at(usual, kMostly, kTakeOver, kSwitchingRows);
    const bool quicker =
        first && second && (!usual_first || *first < *usual_first) && (!usual_second || *second < *usual_second);
    result.claims.push_back(
        {.claim = "With forgetting 0.9 the algorithm adapts to changes quickly.",
         .measured = fmt::format("after the two changes, 80 % right again at {} and at {}; with 0.98 at {} and at {}",
                                 row_or_none(first, kTakeOver - 1), row_or_none(second, kSwitchingRows),
                                 row_or_none(usual_first, kTakeOver - 1), row_or_none(usual_second, kSwitchingRows)),
         .verdict = quicker ? Verdict::holds : Verdict::fails});

    const double restless = average(quick.sd, 201, 300);
    const double calm = average(usual.sd, 201, 300);
    result.claims.push_back(
        {.claim = "A smaller forgetting factor makes the solution unstable: a larger Monte Carlo error in stationary "
                  "periods.",
         .measured =
             fmt::format("average deviation over rows 201 to 300: {:.3f} with 0.9, {:.3f} with 0.98", restless, calm),
         .verdict = restless > 2.0 * calm ? Verdict::holds : Verdict::fails});
}

std::string curves_json(const std::vector<Measured>& all) {
    std::string out = R"("curves":[)";
    for (const Measured& one : all) {
        out +=
            fmt::format(R"({}{{"forgetting":{},"component":{},"error_over_variance":{}}})",
                        &one == all.data() ? "" : ",", one.forgetting, json(one.runs.component), json(one.runs.error));
    }
    return out + "]";
}

std::vector<Panel> panels_of(const std::vector<Measured>& all) {
    std::vector<Panel> panels;
    Panel means{.title = "All four means, component 1", .scale = Scale::percent, .lines = {}};
    Panel errors{.title = "One-step-ahead error", .scale = Scale::logarithm, .lines = {}};
    for (std::size_t i = 0; i < all.size(); ++i) {
        const std::string name = fmt::format("{}", all[i].forgetting);
        panels.push_back(
            {.title = "Forgetting " + name + ", component 1",
             .scale = Scale::percent,
             .lines = {
                 {.name = "mean and deviation", .mean = all[i].first().mean, .sd = all[i].first().sd, .style = i}}});
        means.lines.push_back({.name = name, .mean = all[i].first().mean, .style = i});
        errors.lines.push_back({.name = name, .mean = all[i].runs.error, .style = i});
    }
    panels.push_back(std::move(means));
    panels.push_back(std::move(errors));
    return panels;
}

}  // namespace

std::size_t forgetting_rows(const Plan& plan) {
    return kFactors.size() * plan.runs * kSwitchingRows;
}

Result run_forgetting(const Plan& plan) {
    std::vector<Measured> all(kFactors.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
        all[i] = {.forgetting = kFactors.at(i),
                  .runs = on_line_runs(plan, PaperStream::Kind::switching, paper_options(kFactors.at(i)))};
        all[i].runs.runs = {};  // only what they say together is needed
    }
    Result result{.name = "forgetting",
                  .title = "Figure 4: the forgetting factor",
                  .question =
                      "How does the forgetting factor trade quick adaptation against stable selection? The "
                      "stream is that of figure 3.",
                  .settings = settings_of(plan, paper_options(1.0))};
    std::erase_if(result.settings, [](const auto& setting) { return setting.first == "forgetting"; });
    add_claims(result, all);
    result.figures.push_back(
        {.name = "forgetting",
         .caption = fmt::format(
             "Share of the first component's variables that are right under four forgetting factors: mean of {} "
             "runs, shaded one standard deviation on both sides; then the four means, and the "
             "errors one step ahead, together. Dotted lines: the truth changes.",
             plan.runs),
         .svg =
             draw(Plot{.about = "Share of right variables of the first component for forgetting 0.9, 0.95, 0.98 and 1",
                       .panels = panels_of(all),
                       .changes = {kSwap, kTakeOver}})});

    std::vector<Column> columns;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const std::string name = fmt::format("forgetting_{}", all[i].forgetting);
        add_columns(columns, name + "_component", all[i].runs.component);
        columns.push_back({.name = name + "_error_over_variance", .values = all[i].runs.error});
        add_checks(result.checks, plan, fmt::format("switching, forgetting {}", all[i].forgetting),
                   all[i].runs.component, forgetting_reference().at(i));
    }
    result.series.push_back({.name = "forgetting", .csv = csv(columns)});
    result.differs = {"Data are centred, and the third phase is read as for figure 3.",
                      "The paper shows the first component; the numbers of both are in the CSV and the JSON."};
    result.json = json_line(result, plan.runs, kSwitchingRows, curves_json(all));
    return result;
}

}  // namespace sluice::experiments
