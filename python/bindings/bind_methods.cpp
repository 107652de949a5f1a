// bind_methods.cpp -- Sluice and the methods that it is compared with, each on all rows of a table: the trials of
// `sluice compare`. Names and defaults are in sluice/_compare.py.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "arrays.hpp"
#include "bind.hpp"
#include "sluice/error.hpp"
#include "trial.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace sluice::python {

namespace {

// As many rows as are run before Ctrl-C is looked for.
constexpr std::size_t kBlockRows = 64;

std::vector<std::string> methods_named(const std::vector<std::string>& names) {
    std::vector<std::string> chosen;
    for (const compare::Entry& entry : compare::entries_named(names)) {
        chosen.push_back(entry.name);
    }
    return chosen;
}

nb::dict result_of(const compare::Trial& trial) {
    std::vector<double> errors;
    for (const Score& score : trial.tally().scores()) {
        errors.push_back(score.error_over_variance());
    }
    const std::uint64_t rows = trial.tally().rows();
    constexpr double kMicroseconds = 1e6;
    nb::dict result;
    result["name"] = trial.entry().name;
    result["title"] = trial.entry().title;
    result["paper"] = trial.entry().paper;
    result["selects"] = trial.entry().selects;
    result["failure"] = trial.failure();
    result["errors"] = errors;
    result["names_used"] = trial.mean_names();
    result["turnover"] = trial.tally().mean_turnover();
    result["microseconds_per_row"] = rows > 0 ? kMicroseconds * trial.seconds() / static_cast<double>(rows) : 0.0;
    result["bytes"] = trial.bytes();
    return result;
}

nb::dict run_method(const std::string& name, const Table& x, const Table& y, std::size_t names, std::size_t season,
                    std::uint64_t warmup) {
    if (x.shape(0) != y.shape(0)) {
        throw DataError("x has " + std::to_string(x.shape(0)) + " rows, y has " + std::to_string(y.shape(0)));
    }
    if (x.shape(1) == 0 || y.shape(1) == 0) {
        throw DataError(x.shape(1) == 0 ? "x has no columns" : "y has no columns");
    }
    if (names == 0 || season == 0) {
        throw OptionError({std::string(names == 0 ? "names" : "season") + " = 0: must be 1 or more"});
    }
    const compare::Task task{.request = {.inputs = x.shape(1), .outputs = y.shape(1), .names = names, .season = season},
                             .horizon = 0};
    compare::Trial trial(compare::entries_named({name}).front(), task, {.warmup = warmup});
    compare::Block block;
    for (std::size_t row = 0; row < x.shape(0) && trial.failure().empty(); row += block.rows) {
        {
            const nb::gil_scoped_release released;
            block.first = row + 1;
            block.rows = std::min(kBlockRows, x.shape(0) - row);
            const double* const inputs = x.data() + (row * x.shape(1));
            const double* const outputs = y.data() + (row * y.shape(1));
            block.x.assign(inputs, inputs + (block.rows * x.shape(1)));
            block.y.assign(outputs, outputs + (block.rows * y.shape(1)));
            trial.run(block);
        }
        if (PyErr_CheckSignals() != 0) {
            throw nb::python_error();
        }
    }
    return result_of(trial);
}

}  // namespace

void bind_methods(nb::module_& module) {
    module.def("methods_named", &methods_named, "names"_a, "Those of these names, or all of them for [\"all\"].");
    module.def("run_method", &run_method, "name"_a, "x"_a.noconvert(), "y"_a.noconvert(), "names"_a, "season"_a,
               "warmup"_a, "Each row is predicted before it is learnt.");
}

}  // namespace sluice::python
