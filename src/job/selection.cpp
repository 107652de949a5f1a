#include "selection.hpp"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "describe.hpp"
#include "json_text.hpp"
#include "sluice/error.hpp"
#include "usage.hpp"

namespace sluice::job {

namespace {

std::optional<std::pair<std::string, std::uint64_t>> log_and_row(const std::string& where) {
    const std::size_t colon = where.rfind(':');
    if (colon == std::string::npos || std::filesystem::exists(where)) {
        return std::nullopt;
    }
    std::uint64_t row = 0;
    const char* end = where.data() + where.size();
    const auto [stop, problem] = std::from_chars(where.data() + colon + 1, end, row);
    if (problem != std::errc() || stop != end) {
        return std::nullopt;
    }
    return std::pair{where.substr(0, colon), row};
}

Selection selection_of_row(const std::string& path, std::uint64_t wanted) {
    std::ifstream file(path);
    if (!file) {
        throw UsageError(path + ": cannot be read");
    }
    simdjson::dom::parser parser;
    std::string line;
    for (std::uint64_t number = 1; std::getline(file, line); ++number) {
        simdjson::dom::element record;
        std::uint64_t row = 0;
        simdjson::dom::array components;
        if (parser.parse(line).get(record) != simdjson::SUCCESS || record["row"].get(row) != simdjson::SUCCESS ||
            record["selected"].get(components) != simdjson::SUCCESS) {
            throw DataError(
                fmt::format("{}, line {}: is not a record that `sluice stream` wrote as NDJSON", path, number));
        }
        if (row != wanted || record["label_of"].error() == simdjson::SUCCESS) {
            continue;
        }
        Selection selection{.from = fmt::format("{}, row {}", path, wanted)};
        for (const simdjson::dom::element component : components) {
            auto& names = selection.components.emplace_back();
            simdjson::dom::array list;
            if (component.get(list) == simdjson::SUCCESS) {
                for (const simdjson::dom::element name : list) {
                    names.emplace_back(std::string_view(name));
                }
            }
        }
        return selection;
    }
    throw UsageError(fmt::format("{}: has no row {}", path, wanted));
}

std::map<std::string, std::size_t> component_by_name(const Selection& selection) {
    std::map<std::string, std::size_t> component;
    for (std::size_t r = 0; r < selection.components.size(); ++r) {
        for (const std::string& name : selection.components[r]) {
            component.emplace(name, r + 1);
        }
    }
    return component;
}

}  // namespace

Selection read_selection(const std::string& where) {
    if (const auto log = log_and_row(where)) {
        return selection_of_row(log->first, log->second);
    }
    try {
        const Description model = describe(read_model_file(where));
        Selection selection{.from = where};
        for (const auto& variables : model.components) {
            auto& names = selection.components.emplace_back();
            for (const SelectedVariable& variable : variables) {
                names.push_back(variable.name);
            }
        }
        if (model.components.empty()) {  // the variables were found: one list, as in the log
            auto& names = selection.components.emplace_back();
            for (const ImportantVariable& variable : model.selected) {
                names.push_back(variable.name);
            }
        }
        return selection;
    } catch (const StateError& error) {
        throw StateError(fmt::format("{} (one row of a log is given as FILE:ROW)", error.what()));
    }
}

SelectionDifference differ(const Selection& first, const Selection& second) {
    const auto a = component_by_name(first);
    const auto b = component_by_name(second);
    SelectionDifference difference;
    for (const auto& names : first.components) {
        for (const std::string& name : names) {
            const auto at = b.find(name);
            if (at == b.end()) {
                difference.only_first.push_back(name);
                continue;
            }
            difference.both.push_back(name);
            if (at->second != a.at(name)) {
                difference.moved.push_back({.name = name, .first = a.at(name), .second = at->second});
            }
        }
    }
    for (const auto& names : second.components) {
        std::ranges::copy_if(names, std::back_inserter(difference.only_second),
                             [&](const std::string& name) { return !a.contains(name); });
    }
    return difference;
}

std::string difference_json(const Selection& first, const Selection& second) {
    const SelectionDifference difference = differ(first, second);
    std::string out;
    io::JsonWriter json(out, io::JsonWriter::spaced);
    json.begin_object()
        .member("first", first.from)
        .member("second", second.from)
        .key("only_first")
        .list(difference.only_first)
        .key("only_second")
        .list(difference.only_second)
        .key("both")
        .list(difference.both)
        .key("moved")
        .begin_list();
    for (const SelectionDifference::Moved& moved : difference.moved) {
        json.begin_object()
            .member("name", moved.name)
            .member("first", moved.first)
            .member("second", moved.second)
            .end_object();
    }
    json.end_list().end_object();
    return out + "\n";
}

}  // namespace sluice::job
