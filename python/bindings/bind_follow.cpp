// bind_follow.cpp -- a stream with what was predicted, selected and reported on the way.
//
// Each row is predicted, then learnt. After row 0, `every`, 2 `every`, ... and the last one the selection is recorded:
//
//     weight_jk = coefficient_jk sd(x_j) / sd(y_k)
//
// the change of output k, in its standard deviations, with one standard deviation of input j. The deviations are those
// of the memory with the most weight. Selections are stored one after the other, as the rows of a sparse matrix.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>

#include "arrays.hpp"
#include "bind.hpp"
#include "sluice/error.hpp"
#include "stream.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace sluice::python {

namespace {

constexpr std::size_t kNumbersAtOnce = 100'000;  // learnt between two looks at signals: some 50 ms

// A numpy array that owns the vector: what was collected is not copied.
template <typename Number>
auto new_array_of(std::vector<Number> values, std::initializer_list<std::size_t> shape) {
    auto kept = std::make_unique<std::vector<Number>>(std::move(values));
    Number* const data = kept->data();
    const nb::capsule owner(kept.release(),
                            [](void* memory) noexcept { delete static_cast<std::vector<Number>*>(memory); });
    return nb::ndarray<nb::numpy, Number>(data, shape, owner);
}

class Selections {
  public:
    void record(const AdaptiveModel& model, std::size_t row) {
        const auto selected = model.selected();
        const Matrix coefficients = model.coefficients();
        const std::vector<double> of_inputs = model.current().input_deviations();
        const std::vector<double> of_outputs = model.current().output_deviations();
        for (const std::size_t input : selected) {
            inputs.push_back(static_cast<std::int32_t>(input));
            for (std::size_t k = 0; k < of_outputs.size(); ++k) {
                weights.push_back(as_float(coefficients(input, k) * (of_inputs[input] / of_outputs[k])));
            }
        }
        rows.push_back(static_cast<std::int64_t>(row));
        starts.push_back(static_cast<std::int64_t>(inputs.size()));
    }

    std::vector<std::int64_t> rows;
    std::vector<std::int64_t> starts = {0};
    std::vector<std::int32_t> inputs;
    std::vector<float> weights;

  private:
    // 0 where an output has not varied.
    static float as_float(double weight) {
        constexpr double kMost = std::numeric_limits<float>::max();
        return std::isnan(weight) ? 0.0F : static_cast<float>(std::clamp(weight, -kMost, kMost));
    }
};

void check_shapes(const Stream& stream, const Table& x, const Table& y, std::size_t every) {
    const AdaptiveModel& model = stream.model();
    if (x.shape(1) != model.inputs() || y.shape(1) != model.outputs() || x.shape(0) != y.shape(0)) {
        throw DataError("x is " + std::to_string(x.shape(0)) + " x " + std::to_string(x.shape(1)) + " and y is " +
                        std::to_string(y.shape(0)) + " x " + std::to_string(y.shape(1)) + ": the model has " +
                        std::to_string(model.inputs()) + " inputs and " + std::to_string(model.outputs()) +
                        " outputs, and both must have the same rows");
    }
    if (every == 0) {
        throw OptionError({"every = 0: must be 1 or more"});
    }
    if (model.inputs() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
        throw DataError("follow takes at most 2147483647 inputs");
    }
}

struct RowEvent {
    std::size_t row;  // of x
    Event event;
};

nb::tuple follow(Stream& stream, const Table& x, const Table& y, std::size_t every) {
    check_shapes(stream, x, y, every);
    const std::size_t count = x.shape(0);
    const std::size_t p = x.shape(1);
    const std::size_t q = y.shape(1);
    Filled predicted(count * q);
    Filled low(count * q);
    Filled high(count * q);
    Selections selections;
    std::vector<RowEvent> events;
    const InUse in_use(stream.users(), InUse::As::writer);
    const std::size_t rows_at_once = std::max<std::size_t>(1, kNumbersAtOnce / std::max<std::size_t>(1, p));
    for (std::size_t begin = 0; begin < count; begin += rows_at_once) {
        {
            const nb::gil_scoped_release released;
            for (std::size_t t = begin; t < std::min(count, begin + rows_at_once); ++t) {
                const std::uint64_t noted = stream.events_noted();
                stream.learn(Rows({x.data() + (t * p), p}, p), Rows({y.data() + (t * q), q}, q),
                             {.predicted = predicted.data() + (t * q),
                              .low = low.data() + (t * q),
                              .high = high.data() + (t * q)});
                const auto fresh = std::min<std::uint64_t>(stream.events_noted() - noted, stream.events().size());
                for (auto event = stream.events().end() - static_cast<std::ptrdiff_t>(fresh);
                     event != stream.events().end(); ++event) {
                    events.push_back({.row = t, .event = *event});
                }
                if (t % every == 0 || t + 1 == count) {
                    selections.record(stream.model(), t);
                }
            }
        }
        if (PyErr_CheckSignals() != 0) {  // the rows learnt so far stay learnt
            throw nb::python_error();
        }
    }
    nb::list list;
    for (const RowEvent& one : events) {
        list.append(nb::make_tuple(one.row, one.event.kind, one.event.inputs, one.event.outputs, one.event.from));
    }
    const std::size_t records = selections.rows.size();
    const std::size_t entries = selections.inputs.size();
    return nb::make_tuple(predicted.release({count, q}), low.release({count, q}), high.release({count, q}),
                          new_array_of(std::move(selections.rows), {records}),
                          new_array_of(std::move(selections.starts), {records + 1}),
                          new_array_of(std::move(selections.inputs), {entries}),
                          new_array_of(std::move(selections.weights), {entries, q}), list);
}

}  // namespace

void bind_follow(nb::module_& module) {
    module.def("follow", &follow, "stream"_a, "x"_a.noconvert(), "y"_a.noconvert(), "every"_a,
               "Predictions, ends of intervals, recorded rows, starts, inputs and weights of selections, events.");
}

}  // namespace sluice::python
