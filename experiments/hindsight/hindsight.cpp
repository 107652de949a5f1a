#include "experiments/hindsight/hindsight.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "experiments/common/put.hpp"
#include "experiments/common/text.hpp"

namespace sluice::experiments {

namespace {

constexpr std::size_t kFactorRows = 1000;
constexpr double kMostOverBest = 1.03;      // on any stream
constexpr double kMostOverBestMean = 1.02;  // on average

double mean_over_best(const std::vector<Compared>& all) {
    double sum = 0.0;
    for (const Compared& one : all) {
        sum += one.over_best();
    }
    return sum / static_cast<double>(all.size());
}

bool reading_is_known(const std::vector<Compared>& all) {
    return std::ranges::any_of(all, [](const Compared& one) { return one.best_reading.has_value(); });
}

const char* best_name(const std::vector<Compared>& all) {
    return reading_is_known(all) ? "the best single reading" : "the best fixed setting";
}

void add_hindsight_claim(Result& result, const std::vector<Compared>& all) {
    const auto within =
        std::ranges::count_if(all, [](const Compared& one) { return one.over_best() <= kMostOverBest; });
    const Compared& worst = std::ranges::max(all, {}, &Compared::over_best);
    const double mean = mean_over_best(all);
    const bool every = std::cmp_equal(within, all.size());
    result.claims.push_back(
        {.claim = fmt::format("With everything on auto the one-step error is at most 3 % above that of {}, which is "
                              "known in hindsight only, and 2 % on average.",
                              best_name(all)),
         .measured = fmt::format("on {} of {} streams; {:.3f} times on average, at worst {:.3f} times ({})", within,
                                 all.size(), mean, worst.over_best(), worst.name),
         .verdict = every && mean <= kMostOverBestMean ? Verdict::holds
                    : within > 0                       ? Verdict::in_part
                                                       : Verdict::fails,
         .ours = true});
}

void add_hindsight_goals(Result& result, const std::vector<Compared>& all) {
    const std::string beside = fmt::format("error over that of {}", best_name(all));
    const auto add = [&](const std::string& stream, double reference, double measured) {
        result.checks.push_back({.what = fmt::format("{}: {}", stream, beside),
                                 .reference = reference,
                                 .measured = measured,
                                 .is_goal = true,
                                 .at_most = true});
    };
    for (const Compared& one : all) {
        add(one.name, kMostOverBest, one.over_best());
    }
    add("all streams, mean", kMostOverBestMean, mean_over_best(all));
}

Table hindsight_table(const std::vector<Compared>& all, std::size_t seeds) {
    Table table{
        .title = fmt::format("One-step error over variance: everything on auto, and the best in hindsight ({} "
                             "seed{})",
                             seeds, seeds == 1 ? "" : "s"),
        .head = {"stream", "auto", "best single reading", "auto over it",
                 fmt::format("best of {} fixed settings", fixed_settings().size()), "its setting", "auto over it"},
        .rows = {}};
    const auto settings = fixed_settings();
    for (const Compared& one : all) {
        const bool known = one.best_reading.has_value();
        table.rows.push_back({one.name, fmt::format("{:.4f}", one.tuned),
                              known ? fmt::format("{:.4f}", *one.best_reading) : "-",
                              known ? fmt::format("{:.3f}", one.tuned / *one.best_reading) : "-",
                              fmt::format("{:.4f}", one.best_fixed()), text_of(settings.at(one.best)),
                              fmt::format("{:.3f}", one.tuned / one.best_fixed())});
    }
    return table;
}

// The errors of all settings: a line for each.
std::string hindsight_csv(const std::vector<Compared>& all) {
    std::string out = "stream,forgetting,components,keep,shrinkage,error_over_variance\n";
    const auto settings = fixed_settings();
    for (const Compared& one : all) {
        put(out, "\"{}\",auto,auto,auto,auto,{}\n", one.name, one.tuned);
        if (one.best_reading) {
            put(out, "\"{}\",best reading,,,,{}\n", one.name, *one.best_reading);
        }
        for (std::size_t i = 0; i < settings.size(); ++i) {
            put(out, "\"{}\",{},{},{},{},{}\n", one.name, settings[i].forgetting, settings[i].components.value_or(0),
                settings[i].keep.at(0), settings[i].shrinkage, one.fixed[i]);
        }
    }
    return out;
}

std::string hindsight_json(const std::vector<Compared>& all) {
    const auto settings = fixed_settings();
    std::string out = R"("streams":[)";
    for (const Compared& one : all) {
        const StreamOptions& best = settings.at(one.best);
        put(out,
            R"({}{{"stream":"{}","auto":{},"best_reading":{},"best_fixed":{},"setting":{{"forgetting":{},"components":{},"keep":{},"shrinkage":{}}},"over_best":{}}})",
            &one == all.data() ? "" : ",", one.name, one.tuned,
            one.best_reading ? fmt::format("{}", *one.best_reading) : "null", one.best_fixed(), best.forgetting,
            best.components.value_or(0), best.keep.at(0), best.shrinkage, one.over_best());
    }
    put(out, R"(],"mean_over_best":{})", mean_over_best(all));
    return out;
}

}  // namespace

Result hindsight_result(const Plan& plan, const std::vector<Compared>& all) {
    Result result{
        .name = "hindsight",
        .title = "Beyond the paper: never far from the best",
        .question =
            "What does it cost to choose everything while the stream runs, compared with the best that one could have "
            "chosen, which is known in hindsight only? Everything is on auto, with at most 20 names.",
        .settings = {{"seed", fmt::format("{}", plan.seed)},
                     {"seeds", fmt::format("{}", plan.runs)},
                     {"unscored_rows", fmt::format("{}", kUnscored)}}};
    add_hindsight_claim(result, all);
    if (plan.runs > 1) {
        add_hindsight_goals(result, all);
    }
    result.tables.push_back(hindsight_table(all, plan.runs));
    result.series.push_back({.name = "hindsight", .csv = hindsight_csv(all)});
    result.differs = {
        "The paper has nothing of this: forgetting, the number of components and variables are the user's choice "
        "there.",
        "A setting, printed as 0.98, 5 x 4, r 10, is a forgetting factor, components x variables of each, and "
        "shrinkage. The best one has the least error on average over the seeds; the best reading is that of each "
        "seed."};
    result.json = json_line(result, plan.runs, kFactorRows, hindsight_json(all));
    return result;
}

std::size_t hindsight_rows(const Plan& plan) {
    return compared_rows(plan, contests(kFactorRows));
}

Result run_hindsight(const Plan& plan) {
    return hindsight_result(plan, compare(plan, contests(kFactorRows)));
}

}  // namespace sluice::experiments
