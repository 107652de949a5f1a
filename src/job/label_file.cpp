#include "label_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "polled_source.hpp"
#include "usage.hpp"

namespace sluice::job {

namespace {

bool is_among(const std::string& name, const std::vector<std::string>& names) {
    return std::ranges::find(names, name) != names.end();
}

}  // namespace

LabelFile::LabelFile(const std::string& path, const io::Dialect& rows, bool follow, int stop_descriptor) {
    io::Dialect dialect;
    dialect.decimal = rows.decimal;
    dialect.missing = rows.missing;
    reader_ = io::open_rows(follow ? io::open_polled(path, stop_descriptor)
                                   : io::open_source(path, {.follow = false, .stop_descriptor = stop_descriptor}),
                            dialect);
}

void LabelFile::want(const std::string& time, const std::vector<std::string>& targets) {
    const auto place = [&](const std::string& name) {
        const auto at = std::ranges::find(columns(), name);
        if (at == columns().end()) {
            throw ColumnError(fmt::format("{}: the labels have no column {}. Their columns are {}",
                                          reader_->source().name(), name, fmt::join(columns(), ", ")),
                              {});
        }
        return static_cast<std::size_t>(at - columns().begin());
    };
    std::vector<std::size_t> numbers;
    numbers.reserve(targets.size());
    for (const std::string& target : targets) {
        numbers.push_back(place(target));
    }
    reader_->want(std::move(numbers), {place(time)});
}

Roles assign_roles_with_labels(const std::vector<std::string>& columns, const std::vector<std::string>& label_columns,
                               const std::string& label_time, const RoleRequest& request, const RowLayout& layout) {
    std::vector<std::string> labels;
    std::ranges::copy_if(label_columns, std::back_inserter(labels),
                         [&](const std::string& name) { return name != label_time && name != request.time; });
    std::vector<std::string> all;
    std::vector<std::string> in_both;
    for (const std::string& name : columns) {
        (is_among(name, labels) ? in_both : all).push_back(name);
    }
    all.insert(all.end(), labels.begin(), labels.end());
    RoleRequest asked = request;
    if (asked.targets.empty()) {
        asked.targets = labels;
    }
    Roles roles = assign_roles(all, asked, layout);
    for (const std::string& target : roles.targets) {
        if (!is_among(target, labels)) {
            throw UsageError({"targets"}, fmt::format("the labels have no column {}. Their columns are {}", target,
                                                      fmt::join(label_columns, ", ")));
        }
    }
    for (auto* names : {&roles.inputs, &roles.ignored}) {
        std::erase_if(*names, [&](const std::string& name) { return is_among(name, labels); });
    }
    roles.ignored.insert(roles.ignored.end(), in_both.begin(), in_both.end());
    std::erase_if(roles.ignored, [&](const std::string& name) { return is_among(name, roles.targets); });
    if (roles.inputs.empty()) {
        throw UsageError(
            "no column is left as an input: every column of the rows has another role or is in the labels");
    }
    return roles;
}

Places find_places_without_targets(const std::vector<std::string>& columns, const Roles& roles,
                                   std::vector<std::string> ignore) {
    Roles rows = roles;
    rows.targets.clear();
    rows.ignored.insert(rows.ignored.end(), roles.targets.begin(), roles.targets.end());
    return find_places(columns, rows, ignore, true);
}

}  // namespace sluice::job
