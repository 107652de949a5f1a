// model_file.cpp -- models with their names to bytes and back.
#include "sluice/model_file.hpp"

#include <iterator>
#include <string_view>
#include <unordered_set>

#include "fit_state.hpp"
#include "names_state.hpp"
#include "sections.hpp"
#include "sluice/error.hpp"

namespace sluice {

namespace {

void check_names(const Roles& roles, const RowLayout& layout, std::size_t inputs, std::size_t outputs) {
    if (layout.lags.empty()) {
        throw DataError("layout.lags is empty: {0} is the present row alone");
    }
    for (std::size_t k = 1; k < layout.lags.size(); ++k) {
        if (layout.lags[k - 1] >= layout.lags[k]) {
            throw DataError("layout.lags must ascend, each lag once");
        }
    }
    const std::vector<std::size_t>& target_lags = layout.target_lags;
    if (!target_lags.empty() && target_lags.front() == 0) {
        throw DataError("layout.target_lags has 0, the value to predict: 1 is the newest known value");
    }
    for (std::size_t k = 1; k < target_lags.size(); ++k) {
        if (target_lags[k - 1] >= target_lags[k]) {
            throw DataError("layout.target_lags must ascend, each lag once");
        }
    }
    if (const std::size_t named = layout.width(roles.inputs.size(), roles.targets.size()); named != inputs) {
        const std::string of_targets = target_lags.empty()
                                           ? ""
                                           : " and roles.targets " + std::to_string(roles.targets.size()) + " at " +
                                                 std::to_string(target_lags.size());
        throw DataError("roles.inputs names " + std::to_string(roles.inputs.size()) + " columns at " +
                        std::to_string(layout.lags.size()) + " lags" + of_targets + ", " + std::to_string(named) +
                        " inputs together; the model has " + std::to_string(inputs));
    }
    if (roles.targets.size() != outputs) {
        throw DataError("roles.targets has " + std::to_string(roles.targets.size()) + " names; the model has " +
                        std::to_string(outputs) + " outputs");
    }
    std::unordered_set<std::string_view> seen;
    for (const auto* names : {&roles.inputs, &roles.targets}) {
        for (const std::string& name : *names) {
            if (!seen.insert(name).second) {
                throw DataError("the name " + name + " is given twice in roles: each column needs a name of its own");
            }
        }
    }
    if (!target_lags.empty()) {
        const std::unordered_set<std::string_view> columns(roles.inputs.begin(), roles.inputs.end());
        for (const std::string& name : lagged_names(roles.targets, target_lags)) {
            if (columns.contains(name)) {
                throw DataError("the input " + name + " has the name of a lagged target: rename the input");
            }
        }
    }
}

}  // namespace

std::vector<std::string> lagged_names(const std::vector<std::string>& columns, std::span<const std::size_t> lags) {
    std::vector<std::string> names;
    names.reserve(columns.size() * lags.size());
    for (const std::string& column : columns) {
        for (const std::size_t lag : lags) {
            names.push_back(lag == 0 ? column : column + "@-" + std::to_string(lag));
        }
    }
    return names;
}

std::vector<std::string> stacked_names(const Roles& roles, const RowLayout& layout) {
    std::vector<std::string> names = lagged_names(roles.inputs, layout.lags);
    std::vector<std::string> of_targets = lagged_names(roles.targets, layout.target_lags);
    names.insert(names.end(), std::make_move_iterator(of_targets.begin()), std::make_move_iterator(of_targets.end()));
    return names;
}

std::vector<std::byte> pack_model(const NamedModel& named) {
    check_names(named.roles, named.layout, named.model.inputs(), named.model.outputs());
    return file::join_sections(
        {{"names", file::names_section(named.roles, named.layout)}, {"model", named.model.save()}});
}

std::vector<std::byte> pack_fit(const NamedFit& named) {
    const Fit& fit = named.fitted.fit;
    check_names(named.roles, named.layout, fit.weights.rows(), fit.intercept.size());
    return file::join_sections(
        {{"names", file::names_section(named.roles, named.layout)}, {"fit", file::fit_section(named.fitted)}});
}

NamedModel unpack_model(std::span<const std::byte> bytes) {
    const file::SectionView sections(bytes);
    if (sections.has("fit")) {
        throw WrongKindError(SavedKind::fit_file);
    }
    file::Names names = file::read_names(sections["names"]);
    AdaptiveModel model = AdaptiveModel::load(sections["model"]);
    file::require(model.inputs() == names.inputs, "it names " + std::to_string(names.inputs) +
                                                      " inputs, lags included, and its model has " +
                                                      std::to_string(model.inputs()));
    file::require(model.outputs() == names.roles.targets.size(),
                  "it names " + std::to_string(names.roles.targets.size()) + " targets and its model has " +
                      std::to_string(model.outputs()) + " outputs");
    return {.model = std::move(model), .roles = std::move(names.roles), .layout = std::move(names.layout)};
}

NamedFit unpack_fit(std::span<const std::byte> bytes) {
    const file::SectionView sections(bytes);
    if (!sections.has("fit")) {
        throw WrongKindError(SavedKind::model_file);
    }
    file::Names names = file::read_names(sections["names"]);
    return {.fitted = file::read_fit(sections["fit"], names.inputs, names.roles.targets.size()),
            .roles = std::move(names.roles),
            .layout = std::move(names.layout)};
}

}  // namespace sluice
