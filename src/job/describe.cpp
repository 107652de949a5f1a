#include "describe.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>

#include "decision_text.hpp"
#include "json_text.hpp"
#include "sluice/adaptive_fields.hpp"
#include "target_errors.hpp"

namespace sluice::job {

namespace {

std::vector<SelectedVariable> component_of(std::span<const std::size_t> selected, std::span<const double> weights,
                                           const Matrix& coefficients, const std::vector<std::string>& names) {
    std::vector<SelectedVariable> variables;
    for (const std::size_t input : selected) {
        SelectedVariable variable{.name = names[input], .weight = weights[input]};
        for (std::size_t j = 0; j < coefficients.cols(); ++j) {
            variable.coefficients.push_back(coefficients(input, j));
        }
        variables.push_back(std::move(variable));
    }
    std::ranges::stable_sort(variables,
                             [](const auto& a, const auto& b) { return std::abs(a.weight) > std::abs(b.weight); });
    return variables;
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
    const StreamModel& current = model.current();
    json.key("in_use")
        .begin_object()
        .member("forgetting", current.options().forgetting)
        .member("components", current.components())
        .member("keep", current.options().keep_for(0, model.inputs()))
        .member("shrinkage", current.options().shrinkage)
        .end_object()
        .key("drift")
        .list(model.drift())
        .key("errors_by_components")
        .list(model.errors_by_components())
        .key("decisions")
        .encoded(decisions_json(model.decisions()))
        .key("stability")
        .begin_object();
    const std::vector<double> shares = model.stability();
    for (std::size_t j = 0; j < shares.size(); ++j) {
        if (shares[j] > 0.0) {
            json.member(names[j], shares[j]);
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
        json.member("line", file.resume_point->input.line).key("error_so_far");
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
    for (const AdaptiveField& field : adaptive_fields()) {
        out.options.emplace_back(field.name, field.get(file.learner->model().options()));
    }
    const StreamModel& model = file.learner->model().current();
    out.method = "stream";
    out.intercept = model.intercept();
    const std::vector<double> drift = file.learner->model().drift();
    std::ranges::transform(out.intercept, drift, out.intercept.begin(), std::plus{});
    const Matrix coefficients = model.coefficients();
    for (std::size_t r = 0; r < model.components(); ++r) {
        out.components.push_back(component_of(model.selected(r), model.weights(r), coefficients, names));
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
    json.member("horizon", file.layout.horizon).key("target_lags").list(file.layout.target_lags).key("components");
    append_components(json, model.components);
    json.key("intercept").list(model.intercept);
    if (file.fitted) {
        append_fit(json, *file.fitted);
    } else {
        if (file.learner->model().options().tuning.any()) {
            append_tuning(json, file.learner->model(), names);
        }
        append_run(json, file);
    }
    json.end_object();
    return out + "\n";
}

}  // namespace sluice::job
