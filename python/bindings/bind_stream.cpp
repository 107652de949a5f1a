// bind_stream.cpp -- the class that all on-line models of the Python package share.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <limits>
#include <tuple>

#include "arrays.hpp"
#include "bind.hpp"
#include "options.hpp"
#include "sluice/adaptive_fields.hpp"
#include "sluice/error.hpp"
#include "stream.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace sluice::python {

namespace {

constexpr std::size_t kNumbersWithLock = 4096;  // fewer are learnt before another thread could take the lock

std::span<const std::byte> bytes_of(const nb::bytes& bytes) {
    return std::as_bytes(std::span(bytes.c_str(), bytes.size()));
}

nb::bytes to_python(std::span<const std::byte> bytes) {
    return nb::bytes(bytes.data(), bytes.size());
}

std::vector<std::string> numbered(const char* letter, std::size_t count) {
    std::vector<std::string> names(count);
    for (std::size_t i = 0; i < count; ++i) {
        names[i] = letter + std::to_string(i);
    }
    return names;
}

// Runs `work` alone on the model, without the interpreter's lock where there is much to do.
template <typename Work>
void use(const Stream& stream, InUse::As as, std::size_t numbers, Work work) {
    const InUse in_use(stream.users(), as);
    if (numbers > kNumbersWithLock) {
        const nb::gil_scoped_release released;
        work();
    } else {
        work();
    }
}

void check_width(const Stream& stream, std::size_t width) {
    if (width != stream.model().inputs()) {
        throw DataError("x has " + std::to_string(width) + " columns, the model has " +
                        std::to_string(stream.model().inputs()) + " inputs");
    }
}

void check_shapes(const Stream& stream, const Table& x, const Table& y) {
    check_width(stream, x.shape(1));
    if (y.shape(1) != stream.model().outputs()) {
        throw DataError("y has " + std::to_string(y.shape(1)) + " columns, the model has " +
                        std::to_string(stream.model().outputs()) + " outputs");
    }
    if (x.shape(0) != y.shape(0)) {
        throw DataError("x has " + std::to_string(x.shape(0)) + " rows, y has " + std::to_string(y.shape(0)));
    }
}

void learn(Stream& stream, const Table& x, const Table& y) {
    check_shapes(stream, x, y);
    if (x.shape(0) > 0) {
        use(stream, InUse::As::writer, x.size(), [&] { stream.learn(rows_of(x), rows_of(y), {}); });
    }
}

bool has_infinity(std::span<const double> values) {
    bool found = false;
    for (const double value : values) {
        found |= std::abs(value) > std::numeric_limits<double>::max();
    }
    return found;
}

// Arrays that can be learnt as they are: the way of one row at a time, in which every microsecond counts.
bool learn_as_is(Stream& stream, nb::handle x, nb::handle y) {
    const auto rows = as_it_is<Table>(x);
    if (!rows || rows->shape(1) != stream.model().inputs() || rows->shape(0) == 0) {
        return false;
    }
    const std::size_t count = rows->shape(0);
    const std::size_t q = stream.model().outputs();
    std::span<const double> outputs;
    const auto column = q == 1 ? as_it_is<Column>(y) : std::nullopt;
    const auto table = column ? std::nullopt : as_it_is<Table>(y);
    if (column && column->shape(0) == count) {
        outputs = {column->data(), count};
    } else if (table && table->shape(0) == count && table->shape(1) == q) {
        outputs = {table->data(), table->size()};
    } else {
        return false;
    }
    if (has_infinity({rows->data(), rows->size()}) || has_infinity(outputs)) {
        return false;  // refused before the rows above it are learnt
    }
    use(stream, InUse::As::writer, rows->size(), [&] { stream.learn(rows_of(*rows), Rows(outputs, q), {}); });
    return true;
}

struct NewResults {
    Filled predicted;
    Filled low;
    Filled high;
    Results results;
    NewResults(std::size_t count, bool interval)
        : predicted(count), low(interval ? count : 0), high(interval ? count : 0) {
        results = {.predicted = predicted.data(),
                   .low = interval ? low.data() : nullptr,
                   .high = interval ? high.data() : nullptr};
    }
};

NewArray predict(const Stream& stream, const Table& x) {
    check_width(stream, x.shape(1));
    const std::size_t q = stream.model().outputs();
    NewResults made(x.shape(0) * q, false);
    if (x.shape(0) > 0) {
        use(stream, InUse::As::reader, x.size(), [&] { stream.predict(rows_of(x), made.results); });
    }
    return made.predicted.release({x.shape(0), q});
}

// One output: one number for each row.
std::optional<NewArray> predict_as_is(const Stream& stream, nb::handle x) {
    const auto rows = as_it_is<Table>(x);
    if (!rows || rows->shape(1) != stream.model().inputs() || rows->shape(0) == 0 || stream.model().outputs() != 1) {
        return std::nullopt;
    }
    NewResults made(rows->shape(0), false);
    use(stream, InUse::As::reader, rows->size(), [&] { stream.predict(rows_of(*rows), made.results); });
    return made.predicted.release({rows->shape(0)});
}

nb::tuple with_intervals(NewResults& made, std::size_t count, std::size_t q) {
    return nb::make_tuple(made.predicted.release({count, q}), made.low.release({count, q}),
                          made.high.release({count, q}));
}

nb::tuple predict_interval(const Stream& stream, const Table& x) {
    check_width(stream, x.shape(1));
    const std::size_t q = stream.model().outputs();
    NewResults made(x.shape(0) * q, true);
    if (x.shape(0) > 0) {
        use(stream, InUse::As::reader, x.size(), [&] { stream.predict(rows_of(x), made.results); });
    }
    return with_intervals(made, x.shape(0), q);
}

nb::tuple learn_and_predict(Stream& stream, const Table& x, const Table& y) {
    check_shapes(stream, x, y);
    const std::size_t q = stream.model().outputs();
    NewResults made(x.shape(0) * q, true);
    if (x.shape(0) > 0) {
        use(stream, InUse::As::writer, x.size(), [&] { stream.learn(rows_of(x), rows_of(y), made.results); });
    }
    return with_intervals(made, x.shape(0), q);
}

nb::tuple as_tuple(const Event& event) {
    return nb::make_tuple(event.row, event.kind, event.inputs, event.outputs, event.from, event.to);
}

nb::list events(const Stream& stream) {
    nb::list list;
    for (const Event& event : stream.events()) {
        list.append(as_tuple(event));
    }
    return list;
}

std::optional<nb::dict> report(const Stream& stream) {
    if (!stream.report()) {
        return std::nullopt;
    }
    const Report& last = *stream.report();
    nb::dict dict;
    dict["row"] = last.step.row;
    dict["outcome"] = std::string(name_of(last.step.outcome));
    dict["error_before"] = last.step.error_before;
    dict["forgetting"] = last.step.forgetting;
    dict["missing_inputs"] = last.step.missing_inputs;
    dict["missing_outputs"] = last.step.missing_outputs;
    dict["constant_inputs"] = last.step.constant_inputs;
    dict["explained_covariance"] = last.step.explained_covariance;
    dict["components"] = last.step.components;
    dict["keep"] = last.step.keep;
    dict["shrinkage"] = last.step.shrinkage;
    dict["last_value_share"] = last.step.last_value_share;
    dict["predicted"] = new_array(last.predicted);
    dict["selected"] = last.selected;
    dict["entered"] = last.entered;
    dict["left"] = last.left;
    dict["suspect_inputs"] = last.suspect_inputs;
    dict["suspect_outputs"] = last.suspect_outputs;
    return dict;
}

// ---- saved state: the model file of the core, and beside it what only Python has

nb::tuple state(const Stream& stream) {
    const Stream::Beside beside = stream.beside();
    nb::list scores;
    for (std::size_t k = 0; k < beside.scores.size(); ++k) {
        const Score::Sums& sums = beside.scores[k];
        scores.append(nb::make_tuple(static_cast<bool>(beside.observed[k]), sums.count, sums.mean, sums.spread,
                                     sums.error, sums.exponent));
    }
    return nb::make_tuple(to_python(pack_model(stream.named())), to_python(beside.intervals), scores, events(stream));
}

using SavedScore = std::tuple<bool, std::size_t, double, double, double, int>;
using SavedEvent =
    std::tuple<std::uint64_t, std::string, std::vector<std::size_t>, std::vector<std::size_t>, double, double>;
using SavedState = std::tuple<nb::bytes, nb::bytes, std::vector<SavedScore>, std::vector<SavedEvent>>;

// `self` is memory without an object yet.
void from_state(Stream& self, const SavedState& saved) {
    const auto& [file, intervals, scores, events] = saved;
    NamedModel named = unpack_model(bytes_of(file));
    Stream::Beside beside;
    const auto tracker = bytes_of(intervals);
    beside.intervals.assign(tracker.begin(), tracker.end());
    for (const auto& [observed, count, mean, spread, error, exponent] : scores) {
        beside.observed.push_back(observed);
        beside.scores.push_back({.count = count, .mean = mean, .spread = spread, .error = error, .exponent = exponent});
    }
    for (const auto& [row, kind, inputs, outputs, from, to] : events) {
        beside.events.push_back({row, kind, inputs, outputs, from, to});
    }
    new (&self) Stream(std::move(named), std::move(beside));
}

// What is no number is refused as NaN is, with the core's sentence.
std::optional<double> coverage_of(nb::handle value) {
    double coverage = 0.0;
    if (value.is_none()) {
        return std::nullopt;
    }
    return nb::try_cast(value, coverage) ? coverage : std::numeric_limits<double>::quiet_NaN();
}

Stream* from_file(const nb::bytes& file, const nb::object& coverage) {
    return new Stream(unpack_model(bytes_of(file)), coverage_of(coverage));
}

// A property that is read while no other thread learns.
template <auto Read>
auto reading(const Stream& stream) {
    const InUse in_use(stream.users(), InUse::As::reader);
    return Read(stream);
}

nb::list importances(const Stream& stream) {
    nb::list list;
    for (const Importance& importance : stream.model().importances()) {
        list.append(nb::make_tuple(importance.input, importance.contribution, importance.gain));
    }
    return list;
}

nb::dict option_texts(const Stream& stream) {
    nb::dict texts;
    for (const AdaptiveField& field : adaptive_fields()) {
        texts[nb::str(field.name.data(), field.name.size())] = field.get(stream.model().options());
    }
    return texts;
}

}  // namespace

void bind_stream(nb::module_& module) {
    nb::class_<Stream>(module, "Stream", "An on-line model with names, intervals, scores and events.")
        .def(
            "__init__",
            [](Stream* self, std::size_t inputs, std::size_t outputs, const nb::dict& options,
               const nb::object& coverage) {
                NamedModel named{.model = AdaptiveModel(inputs, outputs, adaptive_options(options))};
                named.roles.inputs = numbered("x", inputs);
                named.roles.targets = outputs == 1 ? std::vector<std::string>{"y"} : numbered("y", outputs);
                new (self) Stream(std::move(named), coverage_of(coverage));
            },
            "inputs"_a, "outputs"_a, "options"_a, "coverage"_a.none())
        .def("learn", &learn, "x"_a.noconvert(), "y"_a.noconvert())
        .def("learn_as_is", &learn_as_is, "x"_a.none(), "y"_a.none(),
             "Whether the arrays could be learnt without conversion.")
        .def("predict", &predict, "x"_a.noconvert())
        .def("predict_as_is", &predict_as_is, "x"_a.none(),
             "One output; None where there are several or the array needs conversion.")
        .def("predict_interval", &predict_interval, "x"_a.noconvert(), "Predictions, lower and upper ends.")
        .def("learn_and_predict", &learn_and_predict, "x"_a.noconvert(), "y"_a.noconvert(),
             "The same, each row predicted before it is learnt.")
        .def("rename", &Stream::rename, "inputs"_a, "targets"_a)
        .def(
            "add_inputs",
            [](Stream& s, const std::vector<std::string>& names) {
                const InUse in_use(s.users(), InUse::As::writer);
                s.add_inputs(names);
            },
            "names"_a, "Appends inputs that were missing in every row so far.")
        .def("__sizeof__", &reading<[](const Stream& s) { return sizeof(Stream) + s.model().bytes(); }>)
        .def_prop_ro("inputs", [](const Stream& s) { return s.model().inputs(); })
        .def_prop_ro("outputs", [](const Stream& s) { return s.model().outputs(); })
        .def_prop_ro("rows_met", &reading<[](const Stream& s) { return s.model().rows_met(); }>)
        .def_prop_ro("nbytes", &reading<[](const Stream& s) { return s.model().bytes(); }>)
        .def_prop_ro("input_names", [](const Stream& s) { return s.named().input_names(); })
        .def_prop_ro("target_names", [](const Stream& s) { return s.named().roles.targets; })
        .def_prop_ro("selected", &reading<[](const Stream& s) {
                         const auto selected = s.model().selected();
                         return std::vector<std::size_t>(selected.begin(), selected.end());
                     }>)
        .def_prop_ro("importances", &reading<importances>)
        .def_prop_ro("stability", &reading<[](const Stream& s) { return new_array(s.model().stability()); }>,
                     nb::rv_policy::move)
        .def_prop_ro("coefficients", &reading<[](const Stream& s) { return new_array(s.model().coefficients()); }>,
                     nb::rv_policy::move)
        .def_prop_ro("intercept", &reading<[](const Stream& s) { return new_array(s.model().intercept()); }>,
                     nb::rv_policy::move)
        .def_prop_ro(
            "coverage",
            [](const Stream& s) { return s.intervals() ? std::optional(s.intervals()->coverage()) : std::nullopt; })
        .def_prop_ro("one_step_r2", &reading<[](const Stream& s) {
                         std::vector<double> r2;
                         for (const Score& score : s.scores()) {
                             r2.push_back(score.r2());
                         }
                         return new_array(r2);
                     }>,
                     nb::rv_policy::move)
        .def_prop_ro("events", &reading<events>)
        .def_prop_ro("report", &reading<report>)
        .def_prop_ro("options", &option_texts, "Every option of the model, as text.")
        .def("to_file", &reading<[](const Stream& s) { return to_python(pack_model(s.named())); }>,
             "The bytes of a model file, which `sluice predict`, `inspect` and `stream --resume` take.")
        .def_static("from_file", &from_file, "bytes"_a, "coverage"_a.none(), nb::rv_policy::take_ownership)
        .def("__getstate__", &reading<state>)
        .def("__setstate__", [](Stream& self, const SavedState& saved) { from_state(self, saved); });
}

}  // namespace sluice::python
