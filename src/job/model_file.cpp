#include "model_file.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "options_state.hpp"
#include "sections.hpp"
#include "sluice/error.hpp"
#include "state.hpp"

namespace sluice::job {

namespace {

using core::StateReader;
using core::StateWriter;

void put_texts(StateWriter& out, const std::vector<std::string>& texts) {
    out.put(static_cast<std::uint64_t>(texts.size()));
    for (const std::string& text : texts) {
        out.put_text(text);
    }
}

std::vector<std::string> get_texts(StateReader& in) {
    std::uint64_t count = 0;
    in.get(count);
    in.require(count <= in.left() / sizeof(std::uint64_t), "a list is longer than the file");
    std::vector<std::string> texts;
    texts.reserve(count);
    for (std::uint64_t i = 0; i < count; ++i) {
        texts.push_back(in.get_text());
    }
    return texts;
}

std::vector<std::byte> names_section(const Roles& roles, const Shape& shape) {
    StateWriter out;
    put_texts(out, roles.inputs);
    put_texts(out, roles.targets);
    put_texts(out, roles.ignored);
    out.put_text(roles.time);
    out.put_list(shape.lags);
    out.put(static_cast<std::uint64_t>(shape.horizon));
    return std::move(out).unframed();
}

void read_names(std::span<const std::byte> section, Roles& roles, Shape& shape) {
    StateReader in = StateReader::unframed(section);
    roles.inputs = get_texts(in);
    roles.targets = get_texts(in);
    roles.ignored = get_texts(in);
    roles.time = in.get_text();
    shape.lags = in.get_list();
    std::uint64_t horizon = 0;
    in.get(horizon);
    shape.horizon = horizon;
    in.require(in.left() == 0, "there is something after the names");
    in.require(!roles.inputs.empty() && !roles.targets.empty(), "it names no inputs or no targets");
    in.require(!shape.lags.empty(), "it has no lags");
    for (std::size_t k = 1; k < shape.lags.size(); ++k) {
        in.require(shape.lags[k - 1] < shape.lags[k], "its lags do not ascend");
    }
}

std::vector<std::byte> standing_section(const Standing& standing) {
    StateWriter out;
    for (const std::uint64_t number : {standing.input.line, standing.input.byte, standing.rows_read,
                                       standing.out_length, standing.rejects_length, standing.rejects}) {
        out.put(number);
    }
    put_texts(out, standing.columns);
    return std::move(out).unframed();
}

Standing read_standing(std::span<const std::byte> section) {
    StateReader in = StateReader::unframed(section);
    Standing standing;
    for (std::uint64_t* number : {&standing.input.line, &standing.input.byte, &standing.rows_read, &standing.out_length,
                                  &standing.rejects_length, &standing.rejects}) {
        in.get(*number);
    }
    standing.columns = get_texts(in);
    in.require(in.left() == 0, "there is something after the position");
    return standing;
}

// Whether rings of that shape can stand in a section of so many bytes. Counted before anything is allocated.
bool rings_fit(const Shape& shape, std::size_t inputs, std::size_t outputs, std::size_t bytes) {
    const std::size_t numbers = bytes / sizeof(double);
    const std::size_t lag_rows = shape.lags.back();
    const std::size_t width = inputs * shape.lags.size();
    return lag_rows <= numbers / inputs && shape.horizon <= numbers / (width + outputs);
}

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
    in.require(rows == 0 || cols <= numbers / rows, "a table is larger than the file");
    in.require(cols <= std::max<std::uint64_t>(numbers, 1), "a table is larger than the file");
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
    in.require(count <= in.left() / sizeof(double), "a list is longer than the file");
    std::vector<double> numbers(count);
    in.get_all(numbers);
    return numbers;
}

std::vector<std::byte> fitted_section(const FittedModel& fitted) {
    StateWriter out;
    out.put(fitted.method);
    core::save_options(fitted.options, out);
    out.put(fitted.rows);
    const Fit& fit = fitted.fit;
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
    return std::move(out).unframed();
}

FittedModel read_fitted(std::span<const std::byte> section, std::size_t inputs, std::size_t outputs) {
    StateReader in = StateReader::unframed(section);
    FittedModel fitted;
    in.get(fitted.method);
    in.require(fitted.method >= Method::pls2 && fitted.method <= Method::pcr, "its method is none that we know");
    fitted.options = core::load_options(in);
    in.get(fitted.rows);
    Fit& fit = fitted.fit;
    fit.method = fitted.method;
    for (Matrix* matrix : {&fit.weights, &fit.loadings, &fit.input_loadings, &fit.coefficients}) {
        *matrix = get_matrix(in);
    }
    for (auto* numbers :
         {&fit.intercept, &fit.explained_inputs, &fit.explained_outputs, &fit.importance, &fit.input_means}) {
        *numbers = get_numbers(in);
    }
    std::uint64_t components = 0;
    in.get(components);
    in.require(components == fit.weights.cols(), "its components do not fit together");
    for (std::uint64_t r = 0; r < components; ++r) {
        fit.selected.push_back(in.get_list());
        for (const std::size_t input : fit.selected.back()) {
            in.require(input < inputs, "a variable is selected that does not exist");
        }
    }
    fit.notes = get_texts(in);
    in.require(in.left() == 0, "there is something after the fit");
    in.require(fit.weights.rows() == inputs && fit.coefficients.rows() == inputs &&
                   fit.coefficients.cols() == outputs && fit.intercept.size() == outputs &&
                   fit.importance.size() == inputs && fit.input_means.size() == inputs &&
                   fit.loadings.rows() == components && fit.loadings.cols() == outputs &&
                   fit.explained_inputs.size() == components && fit.explained_outputs.size() == components,
               "its tables do not fit together");
    return fitted;
}

}  // namespace

std::vector<std::byte> pack(const Roles& roles, const Learner& learner, const Tally& tally, const Standing& standing) {
    StateWriter learner_state;
    learner.save(learner_state);
    StateWriter tally_state;
    tally.save(tally_state);
    return io::join_sections({{"names", names_section(roles, learner.shape())},
                              {"model", learner.model().save()},
                              {"learner", std::move(learner_state).unframed()},
                              {"tally", std::move(tally_state).unframed()},
                              {"standing", standing_section(standing)}});
}

std::vector<std::byte> pack(const Roles& roles, const Shape& shape, const FittedModel& fitted) {
    return io::join_sections({{"names", names_section(roles, shape)}, {"fit", fitted_section(fitted)}});
}

ModelFile unpack(std::span<const std::byte> bytes) {
    const io::SectionView sections(bytes);
    ModelFile file;
    read_names(sections["names"], file.roles, file.shape);
    const std::size_t columns = file.roles.inputs.size();
    const auto refuse = [](const char* reason) { throw StateError(std::string("model file refused: ") + reason); };
    if (file.shape.lags.size() > std::numeric_limits<std::uint32_t>::max() / columns) {
        refuse("it has more lagged inputs than there can be");
    }
    const std::size_t inputs = columns * file.shape.lags.size();
    if (sections.has("fit")) {
        file.fitted = read_fitted(sections["fit"], inputs, file.roles.targets.size());
        return file;
    }
    AdaptiveModel model = AdaptiveModel::load(sections["model"]);
    if (model.inputs() != inputs || model.outputs() != file.roles.targets.size()) {
        refuse("its names do not fit its model");
    }
    const auto learner = sections["learner"];
    if (!rings_fit(file.shape, columns, model.outputs(), learner.size())) {
        refuse("its lags or its horizon do not fit what it holds");
    }
    StateReader in = StateReader::unframed(learner);
    file.learner.emplace(columns, file.shape, std::move(model));
    file.learner->load(in);
    in.require(in.left() == 0, "there is something after the learner");
    StateReader counts = StateReader::unframed(sections["tally"]);
    file.tally.emplace(inputs, file.roles.targets.size(), 0);
    file.tally->load(counts);
    counts.require(counts.left() == 0, "there is something after the counts");
    file.standing = read_standing(sections["standing"]);
    return file;
}

}  // namespace sluice::job
