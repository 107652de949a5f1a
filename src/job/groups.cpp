#include "groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "row_reader.hpp"
#include "suggest.hpp"
#include "usage.hpp"

namespace sluice::job {

std::vector<std::size_t> groups_for(const Roles& roles, const RowLayout& layout, const std::string& file) {
    std::vector<std::string> columns = roles.inputs;
    if (!layout.target_lags.empty()) {
        columns.insert(columns.end(), roles.targets.begin(), roles.targets.end());
    }
    std::map<std::string, std::size_t> number;    // of each group, in order of appearance
    std::map<std::string, std::size_t> group_of;  // each column
    if (file.empty()) {
        for (const std::string& column : columns) {
            group_of.emplace(column, group_of.size());
        }
    } else {
        io::Dialect dialect;
        dialect.header = io::Dialect::Header::no;
        auto reader = io::open_rows(io::open_source(file), dialect);
        if (reader->columns().size() != 2) {
            throw UsageError({"group_file"}, fmt::format("{} needs two columns, input and group", file));
        }
        reader->want({}, {0, 1});
        io::Row row;
        while (reader->next(row)) {
            if (std::ranges::find(columns, row.texts[0]) == columns.end()) {
                throw UsageError({"group_file"}, fmt::format("{}, line {}: there is no input {}{}", file, row.at.line,
                                                             row.texts[0], io::did_you_mean(row.texts[0], columns)));
            }
            const std::size_t group = number.emplace(row.texts[1], number.size()).first->second;
            group_of.insert_or_assign(row.texts[0], group);
        }
    }
    std::vector<std::size_t> groups;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const bool is_target = i >= roles.inputs.size();
        const auto at = group_of.find(columns[i]);
        if (at == group_of.end()) {
            throw UsageError({"group_file"},
                             fmt::format("{}: {} {} has no group", file, is_target ? "target" : "input", columns[i]));
        }
        groups.insert(groups.end(), is_target ? layout.target_lags.size() : layout.lags.size(), at->second);
    }
    return groups;
}

}  // namespace sluice::job
