// literal.cpp -- what the paper's literal choices would give, one at a time and all together.
#include "experiments/literal/literal.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "experiments/common/paper_run.hpp"
#include "experiments/common/plot.hpp"
#include "experiments/common/text.hpp"
#include "experiments/literal/transcription.hpp"

namespace sluice::experiments {

namespace {

using Kind = PaperStream::Kind;

// One way to read Algorithm 2, on both streams.
struct TriedReading {
    std::string name;
    std::string where;
    RunSummary constant;   // the static stream, forgetting 1
    RunSummary switching;  // forgetting 0.98
};

RunSummary transcribed_runs(const Plan& plan, Kind kind, const Reading& reading) {
    const std::size_t rows = rows_of(kind);
    return many_runs(plan, rows, [&](std::uint64_t seed) {
        return follow(Transcription(PaperStream::inputs, reading), PaperStream(kind, seed, plan.third_phase), rows);
    });
}

TriedReading as_read(const Plan& plan, const char* name, const char* where,
                     const std::function<void(StreamOptions&)>& change) {
    StreamOptions still = paper_options(1.0);
    StreamOptions moving = paper_options(0.98);
    change(still);
    change(moving);
    return {.name = name,
            .where = where,
            .constant = on_line_runs(plan, Kind::constant, still),
            .switching = on_line_runs(plan, Kind::switching, moving)};
}

TriedReading as_printed(const Plan& plan, const char* name, Reading reading) {
    TriedReading tried{.name = name, .where = "experiments/literal", .constant = {}, .switching = {}};
    reading.forgetting = 1.0;
    tried.constant = transcribed_runs(plan, Kind::constant, reading);
    reading.forgetting = 0.98;
    tried.switching = transcribed_runs(plan, Kind::switching, reading);
    return tried;
}

Table on_line_table(const std::vector<TriedReading>& all) {
    Table table{.title = "Algorithm 2, on-line",
                .head = {"choice", "component 1 right", "component 2 right", "R2, rows 50-100", "R2, rows 150-300",
                         "to have it"},
                .rows = {}};
    for (const TriedReading& tried : all) {
        table.rows.push_back({tried.name, share(tried.constant.component[0].mean.back()),
                              share(tried.constant.component[1].mean.back()),
                              fmt::format("{:.3f}", r2(tried.switching, 50, 100)),
                              fmt::format("{:.3f}", r2(tried.switching, 150, 300)), tried.where});
    }
    return table;
}

Figure figure_of(const Plan& plan, const std::vector<TriedReading>& all) {
    std::vector<Panel> panels = {
        {.title = "Component 1, static stream", .scale = Scale::percent, .lines = {}},
        {.title = "Component 2, static stream", .scale = Scale::percent, .lines = {}},
        {.title = "One-step-ahead error, switching stream", .scale = Scale::logarithm, .lines = {}}};
    // Loadings do not touch the selection, so the readings that differ in them alone are shown by their errors.
    const auto add = [&](std::size_t panel, const char* name, const std::vector<double>& mean, std::size_t style) {
        panels[panel].lines.push_back({.name = name, .mean = mean, .style = style});
    };
    for (std::size_t r = 0; r < kComponents; ++r) {
        add(r, "as read", all[0].constant.component[r].mean, 0);
        add(r, "uncentred", all[1].constant.component[r].mean, 1);
        add(r, "dense G-S", all[2].constant.component[r].mean, 2);
        add(r, "all", all[5].constant.component[r].mean, 3);
    }
    add(2, "as read", all[0].switching.error, 0);
    add(2, "instant loadings", all[3].switching.error, 1);
    add(2, "all", all[5].switching.error, 3);
    return {.name = "literal",
            .caption = fmt::format(
                "Means of {} runs. Static stream, forgetting 1: share of right variables as we read the paper; "
                "uncentred; with "
                "Gram-Schmidt against dense vectors (G-S); and with every literal choice at once. Right: errors on the "
                "switching stream, "
                "forgetting 0.98, with loadings from the moments (as read) and from the last row alone (instant).",
                plan.runs),
            .svg = draw(Plot{.about = "Shares of right variables and errors under the paper's literal choices",
                             .panels = std::move(panels)})};
}

// Means over 2,000 runs of ours, seed 77; the prototype's, where they are further away, are noted.
void add_checks(std::vector<Check>& checks, const Plan& plan, const std::vector<TriedReading>& all,
                const std::vector<Curve>& projected, const std::vector<Curve>& printed) {
    if (plan.runs < 2) {
        return;
    }
    const double root = std::sqrt(static_cast<double>(plan.runs));
    const auto share_of = [&](const char* what, double reference, const Curve& curve, const char* note = "") {
        checks.push_back({.what = what,
                          .reference = reference,
                          .measured = curve.mean.back(),
                          .standard_error = curve.sd.back() / root,
                          .note = note});
    };
    const auto number = [&](const char* what, double reference, double measured) {
        checks.push_back({.what = what, .reference = reference, .measured = measured});
    };
    share_of("uncentred, row 100, component 1", 0.76, all[1].constant.component[0], "prototype 0.73");
    share_of("dense Gram-Schmidt, row 100, component 2", 0.44, all[2].constant.component[1], "prototype 0.35");
    share_of("Algorithm 1 projected, component 1", 0.996, projected[0]);
    share_of("Algorithm 1 projected, component 2", 0.994, projected[1]);
    share_of("Algorithm 1 as printed, component 2", 0.00, printed[1]);
    number("weighted loadings, R2 of rows 50-100", 0.996, r2(all[0].switching, 50, 100));
    number("weighted loadings, R2 of rows 150-300", 0.990, r2(all[0].switching, 150, 300));
    number("instant loadings, R2 of rows 50-100", 0.495, r2(all[3].switching, 50, 100));
    number("instant loadings, R2 of rows 150-300", 0.548, r2(all[3].switching, 150, 300));
}

}  // namespace

std::size_t literal_rows(const Plan& plan) {
    return plan.runs * (6 * (kStaticRows + kSwitchingRows) + 2 * kStaticRows);
}

Result run_literal(const Plan& plan) {
    std::vector<TriedReading> all;
    all.push_back(as_read(plan, "as we read it", "--paper", [](StreamOptions&) {}));
    all.push_back(as_read(plan, "uncentred", "--center no", [](StreamOptions& o) { o.center = false; }));
    all.push_back(as_printed(plan, "Gram-Schmidt against dense vectors", {.project_sparse = false}));
    all.push_back(as_read(plan, "instant loadings, eq. (20)", "--loadings instant",
                          [](StreamOptions& o) { o.loadings = Loadings::instant; }));
    all.push_back(
        as_printed(plan, "dense vectors in the iteration too", {.project_sparse = false, .iterate_sparse = false}));
    all.push_back(as_printed(plan, "all of these, and H not balanced",
                             {.center = false,
                              .balance = false,
                              .project_sparse = false,
                              .iterate_sparse = false,
                              .weighted_loadings = false}));
    const auto projected = off_line_runs(plan, paper_options(1.0));
    const auto printed = off_line_runs(plan, paper_options(1.0), FitControl{.as_printed = true});

    Result result{
        .name = "literal",
        .title = "What the paper's literal choices would give",
        .question =
            "Where the paper can be read in two ways, what does each reading give? Shares are means at row "
            "100 of the static stream (forgetting 1), R2 is one step ahead on the switching stream (forgetting "
            "0.98).",
        .settings = settings_of(plan, paper_options(0.98))};
    std::erase_if(result.settings, [](const auto& setting) {
        return setting.first == "forgetting" || setting.first == "center" || setting.first == "balance" ||
               setting.first == "loadings";
    });
    result.figures.push_back(figure_of(plan, all));
    result.tables.push_back(on_line_table(all));
    result.tables.push_back({.title = "Algorithm 1, off-line, all 100 rows",
                             .head = {"choice", "component 1 right", "component 2 right", "to have it"},
                             .rows = {{"projected inside the loop (as we read it)", share(projected[0].mean.back()),
                                       share(projected[1].mean.back()), "sluice fit"},
                                      {"as printed", share(printed[0].mean.back()), share(printed[1].mean.back()),
                                       "FitControl::as_printed"}}});

    add_checks(result.checks, plan, all, projected, printed);

    std::vector<Column> constant;
    std::vector<Column> switching;
    constexpr std::array<const char*, 6> kReadings = {"as_read", "uncentred",       "dense_gram_schmidt",
                                                      "instant", "dense_iteration", "all_literal"};
    for (std::size_t i = 0; i < all.size(); ++i) {
        add_columns(constant, fmt::format("{}_component", kReadings.at(i)), all[i].constant.component);
        add_columns(switching, fmt::format("{}_component", kReadings.at(i)), all[i].switching.component);
        switching.push_back(
            {.name = fmt::format("{}_error_over_variance", kReadings.at(i)), .values = all[i].switching.error});
    }
    result.series.push_back({.name = "literal-static", .csv = csv(constant)});
    result.series.push_back({.name = "literal-switching", .csv = csv(switching)});

    std::string variants;
    for (std::size_t i = 0; i < all.size(); ++i) {
        variants +=
            fmt::format(R"({}{{"choice":"{}","component":{},"r2":[{},{}]}})", i == 0 ? "" : ",", kReadings.at(i),
                        json(all[i].constant.component), r2(all[i].switching, 50, 100), r2(all[i].switching, 150, 300));
    }
    result.json = json_line(result, plan.runs, kStaticRows,
                            fmt::format(R"("variants":[{}],"offline":{{"projected":{},"as_printed":{}}})", variants,
                                        json(projected), json(printed)));
    return result;
}

}  // namespace sluice::experiments
