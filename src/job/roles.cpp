#include "roles.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <string_view>
#include <unordered_set>

#include "sluice/error.hpp"
#include "suggest.hpp"
#include "usage.hpp"
#include "utf8.hpp"

namespace sluice::job {

namespace {

constexpr std::size_t kShown = 12;  // names listed in a message

std::optional<std::size_t> column_number(std::string_view word, std::size_t columns) {
    std::size_t number = 0;
    const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (problem != std::errc() || end != word.data() + word.size() || number < 1 || number > columns) {
        return std::nullopt;
    }
    return number - 1;
}

enum class Role { none, input, target, ignored, time };

const char* name_of(Role role) {
    switch (role) {
        case Role::input:
            return "an input";
        case Role::target:
            return "a target";
        case Role::ignored:
            return "ignored";
        case Role::time:
            return "the time";
        case Role::none:
            break;
    }
    return "nothing";
}

void check_inputs(const std::vector<std::string>& columns, const Roles& roles, const RowLayout& layout) {
    if (roles.inputs.empty() && layout.target_lags.empty()) {
        throw UsageError("no column is left as an input; the columns are " + listed(columns),
                         {io::Remedy::use_target_lags});
    }
    if (roles.inputs.empty() && layout.lags != RowLayout().lags) {
        throw UsageError({"lags"}, "no column is left as an input; only the targets have lags");
    }
    if (layout.target_lags.empty()) {
        return;
    }
    const std::unordered_set<std::string_view> inputs(roles.inputs.begin(), roles.inputs.end());
    for (const std::string& name : lagged_names(roles.targets, layout.target_lags)) {
        if (inputs.contains(name)) {
            throw UsageError({"target_lags"},
                             fmt::format("the input {} has the name of a lagged target and needs another name", name),
                             {io::Remedy::ignore_column});
        }
    }
}

}  // namespace

std::string listed(const std::vector<std::string>& names) {
    std::string out;
    for (std::size_t i = 0; i < names.size() && i < kShown; ++i) {
        out += i == 0 ? "" : ", ";
        out += names[i];
    }
    if (names.size() > kShown) {
        out += fmt::format(", and {} more", names.size() - kShown);
    }
    return out;
}

std::vector<std::size_t> columns_meant(const std::string& given, const std::vector<std::string>& columns,
                                       const char* setting) {
    const std::string word = io::to_utf8(given);  // as the names of the columns are
    if (const auto at = std::ranges::find(columns, word); at != columns.end()) {
        return {static_cast<std::size_t>(at - columns.begin())};
    }
    if (const auto number = column_number(word, columns.size())) {
        return {*number};
    }
    std::vector<std::size_t> found;
    if (const std::size_t colon = word.find(':'); colon != std::string::npos) {
        const auto first = column_number(word.substr(0, colon), columns.size());
        const auto last = column_number(word.substr(colon + 1), columns.size());
        if (first && last && *first <= *last) {
            for (std::size_t i = *first; i <= *last; ++i) {
                found.push_back(i);
            }
            return found;
        }
    }
    if (word.find_first_of("*?") != std::string::npos) {
        for (std::size_t i = 0; i < columns.size(); ++i) {
            if (fnmatch(word.c_str(), columns[i].c_str(), 0) == 0) {
                found.push_back(i);
            }
        }
    }
    if (found.empty()) {  // an object of NDJSON: all its fields
        for (std::size_t i = 0; i < columns.size(); ++i) {
            if (columns[i].starts_with(word + ".")) {
                found.push_back(i);
            }
        }
    }
    if (found.empty()) {
        throw UsageError({setting},
                         fmt::format("there is no column {}{} The columns are {}", word,
                                     io::did_you_mean(word, columns).empty() ? "." : io::did_you_mean(word, columns),
                                     listed(columns)));
    }
    return found;
}

Roles assign_roles(const std::vector<std::string>& columns, const RoleRequest& request, const RowLayout& layout) {
    if (request.targets.empty()) {
        throw UsageError("no targets are given, the columns to predict. The columns are " + listed(columns),
                         {io::Remedy::name_targets});
    }
    std::vector<Role> role(columns.size(), Role::none);
    const auto assign = [&](const std::vector<std::string>& words, Role wanted, const char* setting,
                            std::vector<std::string>& names) {
        for (const std::string& word : words) {
            for (const std::size_t i : columns_meant(word, columns, setting)) {
                const bool pattern = (word.find_first_of("*?:") != std::string::npos && word != columns[i]) ||
                                     columns[i].starts_with(word + ".");
                if (role[i] == wanted || (pattern && role[i] != Role::none)) {
                    continue;  // a pattern takes only columns that have no role yet
                }
                if (role[i] != Role::none) {
                    throw UsageError(
                        fmt::format("column {} cannot be {} and {}", columns[i], name_of(role[i]), name_of(wanted)));
                }
                role[i] = wanted;
                names.push_back(columns[i]);
            }
        }
    };
    Roles roles;
    assign(request.targets, Role::target, "targets", roles.targets);
    if (!request.time.empty()) {
        std::vector<std::string> time;
        assign({request.time}, Role::time, "time", time);
        roles.time = time.front();
    }
    assign(request.ignore, Role::ignored, "ignore", roles.ignored);
    assign(request.inputs, Role::input, "inputs", roles.inputs);
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (role[i] == Role::none) {
            (request.inputs.empty() ? roles.inputs : roles.ignored).push_back(columns[i]);
        }
    }
    check_inputs(columns, roles, layout);
    return roles;
}

std::string column_named(const std::string& word, const std::vector<std::string>& columns, const char* setting) {
    return columns[columns_meant(word, columns, setting).front()];
}

std::vector<std::size_t> Places::numbers() const {
    std::vector<std::size_t> out = inputs;
    out.insert(out.end(), targets.begin(), targets.end());
    return out;
}

std::vector<std::size_t> Places::texts() const {
    return time ? std::vector<std::size_t>{*time} : std::vector<std::size_t>{};
}

void require_targets(const std::vector<std::string>& columns, const Roles& roles) {
    std::vector<std::string> absent;
    std::ranges::copy_if(roles.targets, std::back_inserter(absent),
                         [&](const std::string& name) { return std::ranges::find(columns, name) == columns.end(); });
    if (!absent.empty()) {
        throw ColumnError(
            "the model predicts from earlier values of its targets, and the input has no column " + listed(absent),
            {io::Remedy::add_target_columns, io::Remedy::no_target_lags});
    }
}

Places find_places(const std::vector<std::string>& columns, const Roles& roles, const std::vector<std::string>& ignore,
                   bool targets_needed) {
    std::vector<std::pair<std::string_view, std::size_t>> by_name;
    by_name.reserve(columns.size());
    for (std::size_t i = 0; i < columns.size(); ++i) {
        by_name.emplace_back(columns[i], i);
    }
    std::ranges::sort(by_name);
    std::vector<bool> known(columns.size(), false);
    std::vector<std::string> missing;
    const auto find = [&](const std::string& name) -> std::optional<std::size_t> {
        const auto at = std::ranges::lower_bound(by_name, std::string_view(name), {},
                                                 &std::pair<std::string_view, std::size_t>::first);
        if (at == by_name.end() || at->first != name) {
            return std::nullopt;
        }
        known[at->second] = true;
        return at->second;
    };
    Places places;
    for (const std::string& name : roles.inputs) {
        const auto at = find(name);
        at ? places.inputs.push_back(*at) : missing.push_back(name);
    }
    std::vector<std::string> absent;
    for (const std::string& name : roles.targets) {
        const auto at = find(name);
        at ? places.targets.push_back(*at) : absent.push_back(name);
    }
    if (targets_needed || !places.targets.empty()) {
        missing.insert(missing.end(), absent.begin(), absent.end());
    }
    if (!roles.time.empty()) {
        places.time = find(roles.time);
        if (!places.time && targets_needed) {
            missing.push_back(roles.time);
        }
    }
    for (const std::string& name : roles.ignored) {
        (void)find(name);
    }
    std::vector<std::string> added;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const bool may_be_new = std::ranges::any_of(
            ignore, [&](const std::string& word) { return fnmatch(word.c_str(), columns[i].c_str(), 0) == 0; });
        if (!known[i] && !may_be_new) {
            added.push_back(columns[i]);
        }
    }
    if (!missing.empty() || !added.empty()) {
        std::string difference = "the columns are not those that the model knows.";
        if (!missing.empty()) {
            difference += "\n  missing: " + listed(missing);
        }
        if (!added.empty()) {
            difference += "\n  new:     " + listed(added);
        }
        throw ColumnError(difference, added.empty() ? io::Remedies{} : io::Remedies{io::Remedy::ignore_new_columns});
    }
    return places;
}

}  // namespace sluice::job
