#include "sheet.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <unordered_map>
#include <utility>

#include "sluice/error.hpp"

namespace sluice::portfolio {

namespace {

void check_names(const std::vector<Sheet>& sheets) {
    std::unordered_map<std::string, const Sheet*> seen;
    for (const Sheet& sheet : sheets) {
        for (const std::string& name : sheet.names) {
            const auto [at, is_new] = seen.emplace(name, &sheet);
            if (!is_new) {
                throw io::WithRemedies<DataError>(
                    fmt::format("{}: {} is in {} too: rename one of them", sheet.source, name, at->second->source),
                    {io::Remedy::ignore_column}, name);
            }
        }
    }
}

void check_alike(const Sheet& first, const Sheet& other) {
    if (first.quote != other.quote) {
        throw DataError(fmt::format("{} has prices and {} returns, or the other way round: give one kind only",
                                    first.source, other.source));
    }
    if (first.calendar != other.calendar) {
        throw DataError(fmt::format(
            "{} and {} cannot be joined: their dates are of different kinds. Give both a column of dates, or neither",
            first.source, other.source));
    }
    if (first.calendar == Calendar::none && first.rows() != other.rows()) {
        throw DataError(fmt::format(
            "{} has {} rows and {} has {}: files without dates are joined row by row and must be equally long. Give "
            "only files of the same weeks (OR-Library: 1 to 5 go together, and 6 to 8), or add a column of dates",
            first.source, first.rows(), other.source, other.rows()));
    }
}

// Every date that any sheet has, in order.
std::vector<Date> all_dates(const std::vector<Sheet>& sheets) {
    std::map<double, std::string> all;
    for (const Sheet& sheet : sheets) {
        for (const Date& date : sheet.dates) {
            all.emplace(date.key, date.text);
        }
    }
    std::vector<Date> out;
    out.reserve(all.size());
    for (const auto& [key, text] : all) {
        out.push_back({.key = key, .text = text});
    }
    return out;
}

}  // namespace

Sheet join(std::vector<Sheet> sheets) {
    if (sheets.empty()) {
        throw DataError("there is no file to read");
    }
    check_names(sheets);
    if (sheets.size() == 1) {
        return std::move(sheets.front());
    }
    for (const Sheet& sheet : sheets) {
        check_alike(sheets.front(), sheet);
    }
    Sheet out{.source = fmt::format("{} and {} more", sheets.front().source, sheets.size() - 1),
              .quote = sheets.front().quote,
              .calendar = sheets.front().calendar,
              .dates = all_dates(sheets)};
    const bool dated = out.calendar != Calendar::none;
    const std::size_t rows = dated ? out.dates.size() : sheets.front().rows();
    std::size_t names = 0;
    for (const Sheet& sheet : sheets) {
        out.names.insert(out.names.end(), sheet.names.begin(), sheet.names.end());
        out.indices.insert(out.indices.end(), sheet.indices.begin(), sheet.indices.end());
        out.notes.insert(out.notes.end(), sheet.notes.begin(), sheet.notes.end());
        names += sheet.names.size();
        if (dated && sheet.rows() < rows) {
            out.notes.push_back(fmt::format("{}: has {} of the {} dates of all files; the others count as gaps",
                                            sheet.source, sheet.rows(), rows));
        }
    }
    out.values = Matrix(names, rows);
    std::fill_n(out.values.data(), names * rows, std::numeric_limits<double>::quiet_NaN());
    std::size_t above = 0;
    for (const Sheet& sheet : sheets) {
        for (std::size_t row = 0; row < sheet.rows(); ++row) {
            const auto at =
                dated ? std::ranges::lower_bound(out.dates, sheet.dates[row].key, {}, &Date::key) - out.dates.begin()
                      : static_cast<std::ptrdiff_t>(row);
            std::ranges::copy(sheet.values.column(row),
                              out.values.column(static_cast<std::size_t>(at)).subspan(above).begin());
        }
        above += sheet.names.size();
    }
    return out;
}

}  // namespace sluice::portfolio
