// bind_fit.cpp -- an off-line fit with the names of its columns. Once made it never changes, so that any number of
// threads may read it.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "arrays.hpp"
#include "bind.hpp"
#include "options.hpp"
#include "sluice/error.hpp"
#include "sluice/model_file.hpp"
#include "sluice/moments.hpp"
#include "sluice/option_fields.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace sluice::python {

namespace {

// As `sluice fit --method` has them.
constexpr std::array<std::pair<const char*, Method>, 4> kMethods = {{{"pls2", Method::pls2},
                                                                     {"bridge", Method::bridge},
                                                                     {"sparse-bridge", Method::sparse_bridge},
                                                                     {"pcr", Method::pcr}}};

Method method_named(const std::string& name) {
    for (const auto& [known, method] : kMethods) {
        if (known == name) {
            return method;
        }
    }
    throw OptionError({"method = " + name + ": must be pls2, bridge, sparse-bridge or pcr"});
}

const char* name_of(Method method) {
    for (const auto& [name, known] : kMethods) {
        if (known == method) {
            return name;
        }
    }
    return "?";
}

// ---- FitControl: numbers of Python's

std::string written(nb::handle value) {
    return nb::cast<std::string>(nb::repr(value));
}

double number(nb::handle value, const char* name) {
    const double result = PyFloat_AsDouble(value.ptr());
    if (PyErr_Occurred() != nullptr) {
        PyErr_Clear();
        throw OptionError({std::string(name) + " = " + written(value) + ": must be a number"});
    }
    return result;
}

std::size_t count(nb::handle value, const char* name) {
    const nb::object index = nb::steal(PyNumber_Index(value.ptr()));
    if (!index.is_valid()) {
        PyErr_Clear();
        throw OptionError({std::string(name) + " = " + written(value) + ": must be a whole number"});
    }
    std::size_t result = 0;
    if (!nb::try_cast(index, result)) {
        throw OptionError({std::string(name) + " = " + written(value) + ": must be from 1 to 2^64 - 1"});
    }
    return result;
}

// ---- making one

// What is the same for rows and for moments: `each` makes the fit, without the interpreter's lock.
template <typename Each>
NamedFit fitted(const std::string& method, std::size_t rows, const std::pair<std::size_t, std::size_t>& widths,
                const nb::dict& options, const nb::handle tolerance, const nb::handle max_iterations, bool as_printed,
                std::vector<std::string> inputs, std::vector<std::string> targets, Each each) {
    if (inputs.size() != widths.first || targets.size() != widths.second) {
        throw DataError("names: " + std::to_string(inputs.size()) + " inputs and " + std::to_string(targets.size()) +
                        " targets for " + std::to_string(widths.first) + " and " + std::to_string(widths.second) +
                        " columns");
    }
    const Method chosen = method_named(method);
    const FitControl control{.tolerance = number(tolerance, "tolerance"),
                             .max_iterations = count(max_iterations, "max_iterations"),
                             .as_printed = as_printed};
    NamedFit named{.fitted = {.fit = {}, .options = stream_options(options), .rows = rows},
                   .roles = {.inputs = std::move(inputs), .targets = std::move(targets)}};
    const nb::gil_scoped_release released;
    named.fitted.fit = each(chosen, named.fitted.options, control);
    return named;
}

NamedFit fitted_rows(const std::string& method, const Table& x, const Table& y, const nb::dict& options,
                     const nb::handle tolerance, const nb::handle max_iterations, bool as_printed,
                     std::vector<std::string> inputs, std::vector<std::string> targets) {
    if (x.shape(0) != y.shape(0)) {
        throw DataError("x has " + std::to_string(x.shape(0)) + " rows, y has " + std::to_string(y.shape(0)));
    }
    if (x.shape(1) == 0 || y.shape(1) == 0) {
        throw DataError(x.shape(1) == 0 ? "x has no columns" : "y has no columns");
    }
    return fitted(method, x.shape(0), {x.shape(1), y.shape(1)}, options, tolerance, max_iterations, as_printed,
                  std::move(inputs), std::move(targets),
                  [&](Method chosen, const StreamOptions& with, const FitControl& control) {
                      return fit(chosen, rows_of(x), rows_of(y), with, control);
                  });
}

NamedFit fitted_moments(const std::string& method, const BatchMoments& moments, const nb::dict& options,
                        const nb::object& tolerance, const nb::object& max_iterations, bool as_printed,
                        std::vector<std::string> inputs, std::vector<std::string> targets) {
    return fitted(method, moments.rows(), {moments.inputs(), moments.outputs()}, options, tolerance, max_iterations,
                  as_printed, std::move(inputs), std::move(targets),
                  [&](Method chosen, const StreamOptions& with, const FitControl& control) {
                      return fit_moments(chosen, moments, with, control);
                  });
}

// ---- using it

std::size_t outputs_of(const NamedFit& named) {
    return named.fitted.fit.intercept.size();
}

// Each row of x to `width` numbers, without the interpreter's lock.
template <typename Each>
NewArray rows_to(const NamedFit& named, const Table& x, std::size_t width, Each each) {
    const std::size_t inputs = named.fitted.fit.input_means.size();
    if (x.shape(1) != inputs) {
        throw DataError("x has " + std::to_string(x.shape(1)) + " columns, the model has " + std::to_string(inputs) +
                        " inputs");
    }
    const std::size_t count = x.shape(0);
    Filled made(count * width);
    if (count > 0) {
        const nb::gil_scoped_release released;
        const Rows rows = rows_of(x);
        for (std::size_t row = 0; row < count; ++row) {
            each(named.fitted.fit, rows[row], std::span<double>(made.data() + (row * width), width));
        }
    }
    return made.release({count, width});
}

NewArray predict(const NamedFit& named, const Table& x) {
    return rows_to(named, x, outputs_of(named),
                   [](const Fit& fit, std::span<const double> in, std::span<double> out) { fit.predict(in, out); });
}

NewArray transform(const NamedFit& named, const Table& x) {
    return rows_to(named, x, named.fitted.fit.components(),
                   [](const Fit& fit, std::span<const double> in, std::span<double> out) { fit.scores_of(in, out); });
}

// None where the fit came from a file or from moments, which do not have them.
nb::object scores(const NamedFit& named) {
    const Fit& fit = named.fitted.fit;
    return fit.scores.rows() == 0 ? nb::none() : nb::cast(new_array(fit.scores));
}

nb::dict option_texts(const NamedFit& named) {
    nb::dict texts;
    for (const OptionField& field : option_fields()) {
        texts[nb::str(field.name.data(), field.name.size())] = field.get(named.fitted.options);
    }
    return texts;
}

// ---- saved state

std::span<const std::byte> bytes_of(const nb::bytes& bytes) {
    return std::as_bytes(std::span(bytes.c_str(), bytes.size()));
}

nb::bytes packed(const NamedFit& named) {
    const std::vector<std::byte> file = pack_fit(named);
    return nb::bytes(file.data(), file.size());
}

std::vector<std::string> numbered(const char* letter, std::size_t count) {
    std::vector<std::string> names(count);
    for (std::size_t i = 0; i < count; ++i) {
        names[i] = letter + std::to_string(i);
    }
    return names;
}

// A model file needs names that differ; those of a frame may not. They are beside it, and the scores too.
using SavedNames =
    std::tuple<std::vector<std::string>, std::vector<std::string>, std::vector<std::string>, std::string>;
using SavedLayout = std::tuple<std::vector<std::size_t>, std::size_t, std::vector<std::size_t>>;
using SavedState = std::tuple<nb::bytes, SavedNames, SavedLayout, std::optional<Table>>;

nb::tuple state(const NamedFit& named) {
    const Fit& fit = named.fitted.fit;
    NamedFit plain{.fitted = named.fitted};
    plain.roles = {.inputs = numbered("x", fit.input_means.size()), .targets = numbered("y", fit.intercept.size())};
    const Roles& roles = named.roles;
    const RowLayout& layout = named.layout;
    return nb::make_tuple(packed(plain), SavedNames(roles.inputs, roles.targets, roles.ignored, roles.time),
                          SavedLayout(layout.lags, layout.horizon, layout.target_lags), scores(named));
}

// `self` is memory without an object yet.
void from_state(NamedFit& self, const SavedState& saved) {
    const auto& [file, names, layout, scores] = saved;
    NamedFit named = unpack_fit(bytes_of(file));
    std::tie(named.roles.inputs, named.roles.targets, named.roles.ignored, named.roles.time) = names;
    std::tie(named.layout.lags, named.layout.horizon, named.layout.target_lags) = layout;
    Fit& fit = named.fitted.fit;
    if (named.input_names().size() != fit.input_means.size() || named.roles.targets.size() != fit.intercept.size()) {
        throw StateError("saved Python fit: its names are not as many as its columns");
    }
    if (scores) {
        if (scores->shape(0) != named.fitted.rows || scores->shape(1) != fit.components()) {
            throw StateError("saved Python fit: the size of its scores is not its rows by its components");
        }
        fit.scores = Matrix(scores->shape(0), scores->shape(1));
        for (std::size_t row = 0; row < fit.scores.rows(); ++row) {
            for (std::size_t r = 0; r < fit.scores.cols(); ++r) {
                const double score = scores->data()[(row * fit.scores.cols()) + r];
                if (!std::isfinite(score)) {
                    throw StateError("saved Python fit: a score is not finite");
                }
                fit.scores(row, r) = score;
            }
        }
    }
    new (&self) NamedFit(std::move(named));
}

template <auto Member>
NewArray array_of(const NamedFit& named) {
    return new_array(named.fitted.fit.*Member);
}

}  // namespace

void bind_fit(nb::module_& module) {
    nb::class_<NamedFit>(module, "Fit", "All rows fitted at once, with names.")
        .def(
            "__init__",
            [](NamedFit* self, const std::string& method, const Table& x, const Table& y, const nb::dict& options,
               const nb::object& tolerance, const nb::object& max_iterations, bool as_printed,
               std::vector<std::string> inputs, std::vector<std::string> targets) {
                new (self) NamedFit(fitted_rows(method, x, y, options, tolerance, max_iterations, as_printed,
                                                std::move(inputs), std::move(targets)));
            },
            "method"_a, "x"_a.noconvert(), "y"_a.noconvert(), "options"_a, "tolerance"_a, "max_iterations"_a,
            "as_printed"_a, "inputs"_a, "targets"_a)
        .def_static("from_moments", &fitted_moments, "method"_a, "moments"_a, "options"_a, "tolerance"_a,
                    "max_iterations"_a, "as_printed"_a, "inputs"_a, "targets"_a, "The same fit without the rows.")
        .def("predict", &predict, "x"_a.noconvert())
        .def("transform", &transform, "x"_a.noconvert(), "The scores of rows.")
        .def_prop_ro("method", [](const NamedFit& f) { return name_of(f.fitted.fit.method); })
        .def_prop_ro("inputs", [](const NamedFit& f) { return f.fitted.fit.input_means.size(); })
        .def_prop_ro("outputs", &outputs_of)
        .def_prop_ro("components", [](const NamedFit& f) { return f.fitted.fit.components(); })
        .def_prop_ro("rows", [](const NamedFit& f) { return f.fitted.rows; })
        .def_prop_ro("input_names", &NamedFit::input_names)
        .def_prop_ro("target_names", [](const NamedFit& f) { return f.roles.targets; })
        .def_prop_ro("weights", &array_of<&Fit::weights>, nb::rv_policy::move)
        .def_prop_ro("loadings", &array_of<&Fit::loadings>, nb::rv_policy::move)
        .def_prop_ro("input_loadings", &array_of<&Fit::input_loadings>, nb::rv_policy::move)
        .def_prop_ro("coefficients", &array_of<&Fit::coefficients>, nb::rv_policy::move)
        .def_prop_ro("intercept", &array_of<&Fit::intercept>, nb::rv_policy::move)
        .def_prop_ro("score_coefficients", &array_of<&Fit::score_coefficients>, nb::rv_policy::move)
        .def_prop_ro("score_intercept", &array_of<&Fit::score_intercept>, nb::rv_policy::move)
        .def_prop_ro("explained_inputs", &array_of<&Fit::explained_inputs>, nb::rv_policy::move)
        .def_prop_ro("explained_outputs", &array_of<&Fit::explained_outputs>, nb::rv_policy::move)
        .def_prop_ro("importance", &array_of<&Fit::importance>, nb::rv_policy::move)
        .def_prop_ro("scores", &scores,
                     nb::sig("def scores(self) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "
                             "dict()] | None"))
        .def_prop_ro("selected", [](const NamedFit& f) { return f.fitted.fit.selected; })
        .def_prop_ro("notes", [](const NamedFit& f) { return f.fitted.fit.notes; })
        .def_prop_ro("options", &option_texts, "Every option of the fit, as text.")
        .def("to_file", &packed, "The bytes of a model file, which `sluice predict`, `inspect` and `diff` take.")
        .def_static(
            "from_file", [](const nb::bytes& file) { return unpack_fit(bytes_of(file)); }, "bytes"_a)
        .def("__getstate__", &state)
        .def("__setstate__", [](NamedFit& self, const SavedState& saved) { from_state(self, saved); });
}

}  // namespace sluice::python
