#include "describe.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "decision_text.hpp"
#include "json_text.hpp"
#include "sluice/adaptive_fields.hpp"
#include "target_errors.hpp"

namespace sluice::job {

namespace {

std::vector<double> coefficients_of(std::size_t input, const Matrix& coefficients) {
    std::vector<double> of_targets;
    for (std::size_t j = 0; j < coefficients.cols(); ++j) {
        of_targets.push_back(coefficients(input, j));
    }
    return of_targets;
}

std::vector<SelectedVariable> component_of(std::span<const std::size_t> selected, std::span<const double> weights,
                                           const Matrix& coefficients, const std::vector<std::string>& names) {
    std::vector<SelectedVariable> variables;
    for (const std::size_t input : selected) {
        variables.push_back(
            {.name = names[input], .weight = weights[input], .coefficients = coefficients_of(input, coefficients)});
    }
    std::ranges::stable_sort(variables,
                             [](const auto& a, const auto& b) { return std::abs(a.weight) > std::abs(b.weight); });
    return variables;
}

// Row, from 1, at which an input last entered, as far as the decisions go back.
std::optional<std::uint64_t> entered_at(std::size_t input, std::span<const Decision> decisions) {
    for (std::size_t i = decisions.size(); i-- > 0;) {
        if (decisions[i].setting == Setting::entered && decisions[i].input == input) {
            return decisions[i].row + 1;
        }
    }
    return std::nullopt;
}

std::vector<ImportantVariable> by_importance(const AdaptiveModel& model, const Matrix& coefficients,
                                             const std::vector<std::string>& names) {
    const std::vector<double> stability = model.stability();
    std::vector<ImportantVariable> variables;
    for (const Importance& one : model.importances()) {
        variables.push_back({.name = names[one.input],
                             .contribution = one.contribution,
                             .gain = one.gain,
                             .stability = stability[one.input],
                             .since = entered_at(one.input, model.decisions()),
                             .coefficients = coefficients_of(one.input, coefficients)});
    }
    return variables;
}

void append_important(io::JsonWriter& json, const std::vector<ImportantVariable>& variables) {
    json.begin_list();
    for (const ImportantVariable& variable : variables) {
        json.begin_object()
            .member("name", variable.name)
            .member("contribution", variable.contribution)
            .member("gain", variable.gain)
            .member("stability", variable.stability)
            .member("since_row", variable.since)
            .key("coefficients")
            .list(variable.coefficients)
            .end_object();
    }
    json.end_list();
}

void append_shares(io::JsonWriter& json, const AdaptiveModel::Shares& shares) {
    json.begin_object();
    for (const auto& [name, list] : {std::pair{"memories", &shares.memories},
                                     {"shrinkages", &shares.shrinkages},
                                     {"sizes", &shares.sizes},
                                     {"speeds", &shares.speeds},
                                     {"discounts", &shares.discounts}}) {
        json.key(name).begin_list();
        for (const AdaptiveModel::Share& share : *list) {
            json.begin_object().member("value", share.value).member("weight", share.weight).end_object();
        }
        json.end_list();
    }
    json.end_object();
}

void append_components(io::JsonWriter& json, const std::vector<std::vector<SelectedVariable>>& components) {
    json.begin_list();
    for (const auto& variables : components) {
        json.begin_list();
        for (const SelectedVariable& variable : variables) {
            json.begin_object()
                .member("name", variable.name)
                .member("weight", variable.weight)
                .key("coefficients")
                .list(variable.coefficients)
                .end_object();
        }
        json.end_list();
    }
    json.end_list();
}

void append_fit(io::JsonWriter& json, const FittedModel& fitted) {
    const Fit& fit = fitted.fit;
    json.member("rows", fitted.rows)
        .key("explained_inputs")
        .list(fit.explained_inputs)
        .key("explained_outputs")
        .list(fit.explained_outputs)
        .key("importance")
        .list(fit.importance)
        .key("notes")
        .list(fit.notes);
}

void append_tuning(io::JsonWriter& json, const AdaptiveModel& model, const std::vector<std::string>& names) {
    append_shares(json.key("shares"), model.shares());
    json.key("drift")
        .list(model.drift())
        .key("decisions")
        .encoded(decisions_json(model.decisions(), [&](std::size_t input) { return io::json(names[input]); }))
        .key("stability")
        .begin_object();
    const std::vector<double> stability = model.stability();
    for (std::size_t j = 0; j < stability.size(); ++j) {
        if (stability[j] > 0.0) {
            json.member(names[j], stability[j]);
        }
    }
    json.end_object();
}

// A file that the library packed has no counts of a run: the model's own are shown, and no errors.
void append_run(io::JsonWriter& json, const ModelFile& file) {
    const AdaptiveModel& model = file.learner->model();
    const StreamModel& current = model.current();
    json.member("rows", file.tally ? file.tally->rows() : model.rows_met())
        .member("skipped", file.tally ? file.tally->skipped() : 0)
        .member("learned", file.tally ? file.tally->learned() : current.rows_learned())
        .member("weight", current.weight())
        .member("engine", sluice::name_of(current.engine()))
        .member("bytes", model.bytes());
    if (file.tally && file.resume_point) {
        json.member("line", file.resume_point->input.at.line).key("error_so_far");
        append_target_errors(json, target_errors(*file.tally, file.roles.targets, *file.learner));
    }
}

}  // namespace

std::string name_of(Method method) {
    switch (method) {
        case Method::pls2:
            return "pls2";
        case Method::bridge:
            return "bridge";
        case Method::sparse_bridge:
            return "sparse-bridge";
        case Method::pcr:
            return "pcr";
    }
    return "?";
}

Description describe(const ModelFile& file) {
    Description out;
    const std::vector<std::string> names = file.input_names();
    if (file.fitted) {
        for (const OptionField& field : option_fields()) {
            out.options.emplace_back(field.name, field.get(file.fitted->options));
        }
        const Fit& fit = file.fitted->fit;
        out.method = name_of(file.fitted->fit.method);
        out.intercept = fit.intercept;
        for (std::size_t r = 0; r < fit.components(); ++r) {
            out.components.push_back(component_of(fit.selected[r], fit.weights.column(r), fit.coefficients, names));
        }
        return out;
    }
    const AdaptiveModel& model = file.learner->model();
    for (const AdaptiveField& field : adaptive_fields()) {
        out.options.emplace_back(field.name, field.get(model.options()));
    }
    out.method = "stream";
    out.intercept = model.intercept();
    const Matrix coefficients = model.coefficients();
    out.selected = by_importance(model, coefficients, names);
    if (!finds_variables(model.options())) {
        const StreamModel& current = model.current();
        for (std::size_t r = 0; r < current.components(); ++r) {
            out.components.push_back(component_of(current.selected(r), current.weights(r), coefficients, names));
        }
    }
    return out;
}

std::string description_json(const ModelFile& file) {
    const Description model = describe(file);
    const std::vector<std::string> names = file.input_names();
    std::string out;
    io::JsonWriter json(out, io::JsonWriter::spaced);
    json.begin_object().member("method", model.method).key("options").begin_object();
    for (const auto& [name, value] : model.options) {
        json.member(name, value);
    }
    json.end_object().key("inputs").list(names).key("targets").list(file.roles.targets).key("time");
    file.roles.time.empty() ? json.encoded("null") : json.value(file.roles.time);
    json.member("horizon", file.layout.horizon).key("target_lags").list(file.layout.target_lags);
    const bool tuned = file.learner && file.learner->model().options().tuning.any();
    if (tuned) {
        append_important(json.key("selected"), model.selected);
    }
    if (!tuned || !finds_variables(file.learner->model().options())) {
        append_components(json.key("components"), model.components);
    }
    json.key("intercept").list(model.intercept);
    if (file.fitted) {
        append_fit(json, *file.fitted);
    } else {
        if (tuned) {
            append_tuning(json, file.learner->model(), names);
        }
        append_run(json, file);
    }
    json.end_object();
    return out + "\n";
}

}  // namespace sluice::job
