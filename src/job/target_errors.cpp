#include "target_errors.hpp"

#include <utility>

namespace sluice::job {

namespace {

ErrorFigures figures_of(const Score& score) {
    return {.rmse = score.rmse(), .error_over_variance = score.error_over_variance()};
}

ErrorFigures figures_of(double rmse, const Score& same_rows) {
    const double deviation = same_rows.deviation();
    ErrorFigures figures{.rmse = rmse};
    if (deviation > 0.0) {
        figures.error_over_variance = (rmse / deviation) * (rmse / deviation);
    }
    return figures;
}

void append_figures(io::JsonWriter& json, const ErrorFigures& figures) {
    json.member("r2", figures.r2())
        .member("error_over_variance", figures.error_over_variance)
        .member("rmse", figures.rmse);
}

void append_figures(io::JsonWriter& json, const char* name, const ErrorFigures& figures) {
    json.key(name).begin_object();
    append_figures(json, figures);
    json.end_object();
}

}  // namespace

std::vector<TargetErrors> target_errors(const Tally& tally, const std::vector<std::string>& targets,
                                        const std::vector<std::optional<BestFixed>>& best) {
    std::vector<TargetErrors> all;
    for (std::size_t j = 0; j < targets.size(); ++j) {
        const Score& score = tally.scores()[j];
        const Score& believed = tally.believed_scores()[j];
        const Comparison::Scores& compared = tally.comparison().scores()[j];
        TargetErrors one{.target = targets[j],
                         .model = figures_of(score),
                         .scored = score.count(),
                         .believed = figures_of(believed),
                         .believed_rows = believed.count(),
                         .compared = {.rows = compared.model.count(),
                                      .since = tally.compared_since(),
                                      .model = figures_of(compared.model),
                                      .mean = figures_of(compared.mean),
                                      .last_value = figures_of(compared.last_value)}};
        if (best[j]) {
            one.best_fixed = {.setting = best[j]->setting,
                              .figures = figures_of(best[j]->rmse, believed)};  // it learnt no suspect label as it was
        }
        all.push_back(std::move(one));
    }
    return all;
}

std::vector<TargetErrors> target_errors(const Tally& tally, const std::vector<std::string>& targets,
                                        const Learner& learner) {
    return target_errors(tally, targets, best_fixed(tally, learner.model()));
}

void append_target_errors(io::JsonWriter& json, const std::vector<TargetErrors>& errors) {
    json.begin_object();
    for (const TargetErrors& one : errors) {
        json.key(one.target).begin_object();
        append_figures(json, one.model);
        json.member("scored", one.scored);
        if (one.believed_rows != one.scored) {
            json.key("without_suspect_labels").begin_object().member("rows", one.believed_rows);
            append_figures(json, one.believed);
            json.end_object();
        }
        json.key("compared").begin_object().member("rows", one.compared.rows).member("since_row", one.compared.since);
        append_figures(json, "model", one.compared.model);
        append_figures(json, "mean", one.compared.mean);
        append_figures(json, "last_value", one.compared.last_value);
        json.end_object().key("best_fixed");
        if (one.best_fixed) {
            json.begin_object().member("setting", one.best_fixed->setting);
            append_figures(json, one.best_fixed->figures);
            json.end_object();
        } else {
            json.encoded("null");
        }
        json.end_object();
    }
    json.end_object();
}

}  // namespace sluice::job
