// bind_fleet.cpp -- the config of a fleet and its block function.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <limits>

#include "arrays.hpp"
#include "arrow_block.hpp"
#include "bind.hpp"
#include "block.hpp"
#include "config.hpp"
#include "sluice/error.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace sluice::python {

namespace {

using Kind = job::SettingNode::Kind;

job::SettingNode node_of(nb::handle from, int depth = 0) {
    constexpr int kDeepest = 8;
    if (depth > kDeepest) {
        throw nb::value_error("the config has lists and dicts that are more than 8 deep");
    }
    job::SettingNode node;
    if (from.is_none()) {
        return node;
    }
    if (nb::isinstance<nb::str>(from)) {
        return {.kind = Kind::word, .value = nb::cast<std::string>(from)};
    }
    if (nb::isinstance<nb::bool_>(from)) {
        return {.kind = Kind::literal, .value = nb::cast<bool>(from) ? "true" : "false"};
    }
    if (nb::isinstance<nb::dict>(from)) {
        node.kind = Kind::map;
        for (const auto& [name, value] : nb::borrow<nb::dict>(from)) {
            node.names.push_back(nb::cast<std::string>(nb::str(nb::handle(name))));
            node.items.push_back(node_of(value, depth + 1));
        }
        return node;
    }
    if (nb::isinstance<nb::list>(from) || nb::isinstance<nb::tuple>(from)) {
        node.kind = Kind::list;
        for (const nb::handle one : from) {
            node.items.push_back(node_of(one, depth + 1));
        }
        return node;
    }
    return {.kind = Kind::literal, .value = nb::cast<std::string>(nb::str(from))};
}

// The answers of a block, column by column.
struct Answers {
    std::size_t width = 0;  // numbers of an answer
    std::vector<std::int64_t> sequence;
    std::vector<bool> has_sequence;
    std::vector<std::int64_t> row;
    std::vector<double> values;  // row by row
    std::vector<std::string> outcome;
    std::vector<std::string> selected;
    std::vector<std::string> events;

    void add(const fleet::Answer& answer) {
        sequence.push_back(answer.sequence.value_or(0));
        has_sequence.push_back(answer.sequence.has_value());
        row.push_back(static_cast<std::int64_t>(answer.row));
        for (const auto& part :
             {answer.predicted, answer.low, answer.high, answer.forecast, answer.forecast_low, answer.forecast_high}) {
            values.insert(values.end(), part.begin(), part.end());
        }
        values.resize(row.size() * width, std::numeric_limits<double>::quiet_NaN());  // where all rows are refused
        outcome.emplace_back(answer.outcome);
        selected.emplace_back(answer.selected);
        events.emplace_back(answer.events);
    }
};

nb::list texts(const std::vector<std::string>& from) {
    nb::list out;
    for (const std::string& one : from) {
        one.empty() ? out.append(nb::none()) : out.append(one);
    }
    return out;
}

nb::list integers(const std::vector<std::int64_t>& from, const std::vector<bool>& there) {
    nb::list out;
    for (std::size_t i = 0; i < from.size(); ++i) {
        there[i] ? out.append(from[i]) : out.append(nb::none());
    }
    return out;
}

std::size_t answer_width(const fleet::Config& config, std::size_t targets) {
    return targets * (config.spec.layout.horizon > 0 ? 2 : 1) * (config.spec.interval ? 3 : 1);
}

nb::tuple step(const fleet::Config& config, nb::handle state, nb::handle rows, const std::string& key) {
    const nb::object pair = rows.attr("__arrow_c_array__")();
    const auto capsules = nb::borrow<nb::tuple>(pair);
    auto* const schema = static_cast<ArrowSchema*>(PyCapsule_GetPointer(capsules[0].ptr(), "arrow_schema"));
    auto* const array = static_cast<ArrowArray*>(PyCapsule_GetPointer(capsules[1].ptr(), "arrow_array"));
    if (schema == nullptr || array == nullptr) {
        throw nb::python_error();
    }
    std::span<const std::byte> before;
    if (!state.is_none()) {
        const auto bytes = nb::cast<nb::bytes>(state);
        before = {reinterpret_cast<const std::byte*>(bytes.c_str()), bytes.size()};
    }
    Answers answers;
    answers.width = answer_width(config, config.spec.roles.targets.size());
    fleet::Stepped stepped;
    {
        const nb::gil_scoped_release released;
        const ArrowOwner<ArrowSchema> own_schema(*schema);
        const ArrowOwner<ArrowArray> own_array(*array);
        ArrowBlock block(*own_schema, *own_array, config.spec.dialect(io::Dialect::Kind::automatic));
        stepped = fleet::step_block(config, key, before, block, [&](const fleet::Answer& answer) {
            if (!answer.predicted.empty()) {
                answers.width = answer_width(config, answer.predicted.size());
            }
            answers.add(answer);
        });
    }
    std::vector<bool> learnt;
    learnt.reserve(answers.row.size());
    for (const std::int64_t row : answers.row) {
        learnt.push_back(row > 0);
    }
    return nb::make_tuple(
        nb::bytes(reinterpret_cast<const char*>(stepped.state.data()), stepped.state.size()), stepped.targets,
        integers(answers.sequence, answers.has_sequence), integers(answers.row, learnt),
        [&] {
            Filled filled(answers.values.size());
            std::copy(answers.values.begin(), answers.values.end(), filled.data());
            return filled.release({answers.row.size(), answers.width});
        }(),
        texts(answers.outcome), texts(answers.selected), texts(answers.events));
}

}  // namespace

void bind_fleet(nb::module_& module) {
    nb::class_<fleet::Config>(module, "FleetConfig", "What the models of a fleet are created with.")
        .def(
            "__init__",
            [](fleet::Config* self, nb::handle tree) { new (self) fleet::Config(fleet::read_config(node_of(tree))); },
            "tree"_a)
        .def_ro("key", &fleet::Config::key)
        .def_ro("sequence", &fleet::Config::sequence)
        .def_prop_ro("targets", [](const fleet::Config& config) { return config.spec.roles.targets; })
        .def_prop_ro("has_interval", [](const fleet::Config& config) { return config.spec.interval.has_value(); })
        .def_prop_ro("horizon", [](const fleet::Config& config) { return config.spec.layout.horizon; })
        .def("json", &fleet::config_json, "One text for each config.");
    module.def("fleet_step", &step, "config"_a, "state"_a.none(), "rows"_a, "key"_a,
               "State, targets, and of each row: sequence, row, numbers, outcome, what is selected, events.");
}

}  // namespace sluice::python
