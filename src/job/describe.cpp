#include "describe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>

#include "decision_text.hpp"
#include "json_text.hpp"
#include "sluice/adaptive_fields.hpp"
#include "summary.hpp"

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

std::string json_list(const std::vector<std::string>& texts) {
    std::string out = "[";
    for (const std::string& text : texts) {
        out += out.size() > 1 ? ", " : "";
        io::append_json(out, text);
    }
    return out + "]";
}

std::string json_list(const std::vector<double>& numbers) {
    std::string out = "[";
    for (const double number : numbers) {
        out += out.size() > 1 ? ", " : "";
        io::append_json(out, number);
    }
    return out + "]";
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
        out.method = name_of(file.fitted->method);
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
    std::string options;
    for (const auto& [name, value] : model.options) {
        options += fmt::format("{}{}: {}", options.empty() ? "" : ", ", io::json(name), io::json(value));
    }
    std::string components;
    for (const auto& variables : model.components) {
        components += components.empty() ? "[" : ", [";
        for (std::size_t k = 0; k < variables.size(); ++k) {
            components += fmt::format("{}{{\"name\": {}, \"weight\": {}, \"coefficients\": {}}}", k == 0 ? "" : ", ",
                                      io::json(variables[k].name), io::json(variables[k].weight),
                                      json_list(variables[k].coefficients));
        }
        components += "]";
    }
    std::string out = fmt::format(
        "{{\"method\": \"{}\", \"options\": {{{}}}, \"inputs\": {}, \"targets\": {}, \"time\": {}, \"horizon\": {}, "
        "\"components\": [{}], \"intercept\": {}",
        model.method, options, json_list(file.input_names()), json_list(file.roles.targets),
        file.roles.time.empty() ? "null" : io::json(file.roles.time), file.shape.horizon, components,
        json_list(model.intercept));
    if (file.fitted) {
        const Fit& fit = file.fitted->fit;
        out += fmt::format(
            ", \"rows\": {}, \"explained_inputs\": {}, \"explained_outputs\": {}, \"importance\": {}, \"notes\": {}",
            file.fitted->rows, json_list(fit.explained_inputs), json_list(fit.explained_outputs),
            json_list(fit.importance), json_list(fit.notes));
    } else {
        const AdaptiveModel& whole = file.learner->model();
        const StreamModel& stream = whole.current();
        if (whole.options().tuning.any()) {
            std::string stability;
            const std::vector<double> shares = whole.stability();
            for (std::size_t j = 0; j < shares.size(); ++j) {
                if (shares[j] > 0.0) {
                    stability += fmt::format("{}{}: {}", stability.empty() ? "" : ", ", io::json(file.input_names()[j]),
                                             io::json(shares[j]));
                }
            }
            out += fmt::format(
                ", \"in_use\": {{\"forgetting\": {}, \"components\": {}, \"keep\": {}, \"shrinkage\": {}}}, \"drift\": "
                "{}, "
                "\"errors_by_components\": {}, \"decisions\": {}, \"stability\": {{{}}}",
                io::json(stream.options().forgetting), stream.components(),
                stream.options().keep_for(0, whole.inputs()), io::json(stream.options().shrinkage),
                json_list(whole.drift()), json_list(whole.errors_by_components()), decisions_json(whole.decisions()),
                stability);
        }
        out += fmt::format(
            ", \"rows\": {}, \"skipped\": {}, \"learned\": {}, \"weight\": {}, \"engine\": \"{}\", \"bytes\": {}, "
            "\"line\": {}, \"error_so_far\": {}",
            file.tally->rows(), file.tally->skipped(), file.tally->learned(), io::json(stream.weight()),
            sluice::name_of(stream.engine()), whole.bytes(), file.standing.input.line,
            targets_json(file.tally->scores(), file.roles.targets));
    }
    return out + "}\n";
}

}  // namespace sluice::job
