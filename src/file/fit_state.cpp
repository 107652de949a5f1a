// fit_state.cpp -- a fitted model as bytes.
#include "fit_state.hpp"

#include <algorithm>
#include <utility>

#include "names_state.hpp"
#include "options_state.hpp"
#include "sections.hpp"
#include "state.hpp"

namespace sluice::file {

namespace {

using core::StateReader;
using core::StateWriter;

void put_matrix(StateWriter& out, const Matrix& matrix) {
    out.put(static_cast<std::uint64_t>(matrix.rows()));
    out.put(static_cast<std::uint64_t>(matrix.cols()));
    out.put_all(std::span<const double>(matrix.data(), matrix.rows() * matrix.cols()));
}

Matrix get_matrix(StateReader& in) {
    std::uint64_t rows = 0;
    std::uint64_t cols = 0;
    in.get(rows);
    in.get(cols);
    const std::size_t numbers = in.left() / sizeof(double);
    require((rows == 0 || cols <= numbers / rows) && cols <= std::max<std::uint64_t>(numbers, 1),
            "a matrix of its fit is larger than the file");
    Matrix matrix(rows, cols);
    in.get_all(std::span<double>(matrix.data(), rows * cols));
    return matrix;
}

void put_numbers(StateWriter& out, const std::vector<double>& numbers) {
    out.put(static_cast<std::uint64_t>(numbers.size()));
    out.put_all(numbers);
}

std::vector<double> get_numbers(StateReader& in) {
    std::uint64_t count = 0;
    in.get(count);
    require(count <= in.left() / sizeof(double), "a list of numbers of its fit is longer than the file");
    std::vector<double> numbers(count);
    in.get_all(numbers);
    return numbers;
}

bool has_score_map(const Fit& fit) {
    return fit.score_coefficients.rows() > 0;
}

void check_sizes(const Fit& fit, std::size_t inputs, std::size_t outputs) {
    const std::size_t components = fit.weights.cols();
    require(fit.weights.rows() == inputs, "the number of rows of its weights is not the number of its inputs");
    require(fit.coefficients.rows() == inputs && fit.coefficients.cols() == outputs,
            "the size of its coefficients is not its inputs by its targets");
    require(fit.loadings.rows() == components && fit.loadings.cols() == outputs,
            "the size of its loadings is not its components by its targets");
    require(fit.input_loadings.rows() == inputs && fit.input_loadings.cols() == components,
            "the size of its input loadings is not its inputs by its components");
    require(fit.intercept.size() == outputs, "it does not have one intercept for each target");
    require(fit.importance.size() == inputs, "it does not have one importance for each input");
    require(fit.input_means.size() == inputs, "it does not have one mean for each input");
    require(fit.explained_inputs.size() == components && fit.explained_outputs.size() == components,
            "it does not have one explained share for each component");
}

}  // namespace

std::vector<std::byte> fit_section(const FittedModel& fitted) {
    StateWriter out;
    const Fit& fit = fitted.fit;
    out.put(fit.method);
    core::save_options(fitted.options, out);
    out.put(fitted.rows);
    for (const Matrix* matrix : {&fit.weights, &fit.loadings, &fit.input_loadings, &fit.coefficients}) {
        put_matrix(out, *matrix);
    }
    for (const auto* numbers :
         {&fit.intercept, &fit.explained_inputs, &fit.explained_outputs, &fit.importance, &fit.input_means}) {
        put_numbers(out, *numbers);
    }
    out.put(static_cast<std::uint64_t>(fit.selected.size()));
    for (const auto& selected : fit.selected) {
        out.put_list(selected);
    }
    put_texts(out, fit.notes);
    if (has_score_map(fit)) {  // files without it are as before there was one
        put_matrix(out, fit.score_coefficients);
        put_numbers(out, fit.score_intercept);
    }
    return std::move(out).unframed();
}

FittedModel read_fit(std::span<const std::byte> section, std::size_t inputs, std::size_t outputs) {
    StateReader in = StateReader::unframed(section);
    FittedModel fitted;
    Fit& fit = fitted.fit;
    in.get(fit.method);
    require(fit.method >= Method::pls2 && fit.method <= Method::pcr, "the method of its fit is unknown");
    fitted.options = core::load_options(in);
    in.get(fitted.rows);
    for (Matrix* matrix : {&fit.weights, &fit.loadings, &fit.input_loadings, &fit.coefficients}) {
        *matrix = get_matrix(in);
    }
    for (auto* numbers :
         {&fit.intercept, &fit.explained_inputs, &fit.explained_outputs, &fit.importance, &fit.input_means}) {
        *numbers = get_numbers(in);
    }
    std::uint64_t components = 0;
    in.get(components);
    require(components == fit.weights.cols(), "it does not have one list of selected inputs for each component");
    for (std::uint64_t r = 0; r < components; ++r) {
        fit.selected.push_back(in.get_list());
        require(std::ranges::all_of(fit.selected.back(), [&](std::size_t input) { return input < inputs; }),
                "it selects an input that does not exist");
    }
    fit.notes = get_texts(in);
    if (in.left() > 0) {
        fit.score_coefficients = get_matrix(in);
        fit.score_intercept = get_numbers(in);
        require(fit.score_coefficients.rows() == inputs && fit.score_coefficients.cols() == components &&
                    fit.score_intercept.size() == components,
                "the size of its score coefficients is not its inputs by its components");
    }
    require(in.left() == 0, "its section \"fit\" is longer than its content");
    check_sizes(fit, inputs, outputs);
    return fitted;
}

}  // namespace sluice::file
