// bind_moments.cpp -- moments of rows that no machine holds at once. One thread at a time may change them.
#include <nanobind/nanobind.h>
#include <nanobind/stl/vector.h>

#include <span>
#include <vector>

#include "arrays.hpp"
#include "bind.hpp"
#include "sluice/error.hpp"
#include "sluice/moments.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace sluice::python {

namespace {

void add(BatchMoments& moments, const Table& x, const Table& y) {
    if (x.shape(1) != moments.inputs() || y.shape(1) != moments.outputs()) {
        throw DataError("x has " + std::to_string(x.shape(1)) + " columns and y has " + std::to_string(y.shape(1)) +
                        ", the moments have " + std::to_string(moments.inputs()) + " inputs and " +
                        std::to_string(moments.outputs()) + " outputs");
    }
    const nb::gil_scoped_release released;
    moments.add(rows_of(x), rows_of(y));
}

void merge(BatchMoments& moments, const BatchMoments& other) {
    const nb::gil_scoped_release released;
    moments.merge(other);
}

nb::bytes to_bytes(const BatchMoments& moments) {
    std::vector<std::byte> saved;
    {
        const nb::gil_scoped_release released;
        saved = moments.save();
    }
    return nb::bytes(saved.data(), saved.size());
}

BatchMoments from_bytes(const nb::bytes& saved, std::size_t memory_limit) {
    return BatchMoments::load(std::as_bytes(std::span(saved.c_str(), saved.size())), memory_limit);
}

}  // namespace

void bind_moments(nb::module_& module) {
    const std::size_t limit = StreamOptions{}.memory_limit;
    nb::class_<BatchMoments>(module, "BatchMoments", "Means and second moments of rows.")
        .def(nb::init<std::size_t, std::size_t, std::size_t>(), "inputs"_a, "outputs"_a, "memory_limit"_a = limit)
        .def("add", &add, "x"_a.noconvert(), "y"_a.noconvert())
        .def("merge", &merge, "other"_a)
        .def_prop_ro("inputs", &BatchMoments::inputs)
        .def_prop_ro("outputs", &BatchMoments::outputs)
        .def_prop_ro("rows", &BatchMoments::rows)
        .def_prop_ro("nbytes", &BatchMoments::bytes)
        .def_prop_ro(
            "input_means", [](const BatchMoments& moments) { return new_array(moments.input_means()); },
            nb::rv_policy::move)
        .def("to_bytes", &to_bytes)
        .def_static("from_bytes", &from_bytes, "bytes"_a, "memory_limit"_a = limit);
}

}  // namespace sluice::python
