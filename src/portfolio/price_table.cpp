#include "price_table.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <string_view>
#include <utility>

#include "notes.hpp"
#include "sluice/error.hpp"
#include "suggest.hpp"

namespace sluice::portfolio {

namespace {

constexpr std::size_t kNoColumn = static_cast<std::size_t>(-1);

std::string lower(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

std::size_t date_column(const std::vector<std::string>& columns, const TableRequest& request,
                        const std::string& source) {
    if (request.date == "none") {
        return kNoColumn;
    }
    if (!request.date.empty()) {
        const auto at = std::ranges::find(columns, request.date);
        if (at == columns.end()) {
            throw OptionError({fmt::format("date = {}: {} has no such column{}", request.date, source,
                                           io::did_you_mean(request.date, columns))});
        }
        return static_cast<std::size_t>(at - columns.begin());
    }
    static constexpr std::array<std::string_view, 7> kUsual = {"date",  "time",   "day",      "week",
                                                               "month", "period", "timestamp"};
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (std::ranges::find(kUsual, lower(columns[i])) != kUsual.end()) {
            return i;
        }
    }
    return 0;
}

bool same_numbers(const std::vector<double>& a, const std::vector<double>& b) {
    return std::ranges::equal(a, b, [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); });
}

struct PriceRows {
    std::vector<DateCell> dates;
    std::vector<std::vector<double>> numbers;
};

// Removes rows that repeat a date with the same numbers, and throws where dates do not ascend.
void remove_repeated_dates(PriceRows& rows, std::vector<Date>& dates, const std::string& source,
                           const std::string& column, std::vector<std::string>& notes) {
    NoteCounter doubled(fmt::format("{}: rows that repeat a date with the same numbers, left out", source));
    const bool descending = dates.size() > 2 && std::ranges::is_sorted(dates, std::ranges::greater{}, &Date::key);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < dates.size(); ++i) {
        if (kept > 0 && dates[i].key < dates[kept - 1].key) {
            throw io::RowError(
                source, rows.dates[i].at, column, rows.dates[i].text,
                fmt::format("comes after {}: dates must ascend. {}", dates[kept - 1].text,
                            descending
                                ? "The newest row comes first here: reverse the rows (in a shell: (head -n 1 FILE; "
                                  "tail -n +2 FILE | tac))"
                                : "Sort the rows by date"));
        }
        if (kept > 0 && dates[i].key == dates[kept - 1].key) {
            if (!same_numbers(rows.numbers[i], rows.numbers[kept - 1])) {
                throw io::RowError(source, rows.dates[i].at, column, rows.dates[i].text,
                                   "occurs twice, with different numbers: remove the row that is wrong");
            }
            doubled.add(fmt::format("{}, line {}", dates[i].text, rows.dates[i].at.line));
            continue;
        }
        if (kept != i) {
            dates[kept] = std::move(dates[i]);
            rows.numbers[kept] = std::move(rows.numbers[i]);
        }
        ++kept;
    }
    dates.resize(kept);
    rows.numbers.resize(kept);
    doubled.append_to(notes);
}

std::vector<std::size_t> number_columns(const std::vector<std::string>& columns, std::size_t date,
                                        const TableRequest& request) {
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const bool ignored = std::ranges::any_of(request.ignore, [&](const std::string& word) {
            return word == columns[i] || fnmatch(word.c_str(), columns[i].c_str(), 0) == 0;
        });
        if (i != date && !ignored) {
            out.push_back(i);
        }
    }
    return out;
}

// A column that is not a number may be that of the dates; there is no time column, and no row may be skipped.
bool next_row(io::RowReader& reader, io::Row& row) {
    try {
        return reader.next(row);
    } catch (const io::RowError& error) {
        io::Remedies remedies = error.remedies();
        std::ranges::replace(remedies, io::Remedy::name_time_column, io::Remedy::name_date_column);
        std::erase(remedies, io::Remedy::skip_bad_rows);
        throw io::RowError(error.source(), error.at(), error.column(), error.value(), error.reason(), remedies);
    }
}

}  // namespace

Sheet read_price_table(std::unique_ptr<io::ByteSource> source, const TableRequest& request) {
    const std::string name = source->name();
    const auto reader = io::open_rows(std::move(source), request.dialect);
    const std::vector<std::string>& columns = reader->columns();
    const std::size_t date = date_column(columns, request, name);
    const std::vector<std::size_t> numbers = number_columns(columns, date, request);
    if (numbers.empty()) {
        throw DataError(fmt::format("{}: has no column of {} besides that of the dates", name,
                                    request.quote == Quote::prices ? "prices" : "returns"));
    }
    const bool dated = date != kNoColumn;
    reader->want(numbers, dated ? std::vector<std::size_t>{date} : std::vector<std::size_t>{});
    PriceRows rows;
    for (io::Row row; next_row(*reader, row);) {
        rows.numbers.push_back(row.numbers);
        if (dated) {
            rows.dates.push_back({.text = row.texts.front(), .at = row.at});
        }
    }
    if (rows.numbers.empty()) {
        throw DataError(fmt::format("{}: has a header and no rows", name));
    }
    Sheet sheet{.source = name, .quote = request.quote};
    if (dated) {
        DateColumn found = read_dates(rows.dates, name, columns[date]);
        remove_repeated_dates(rows, found.dates, name, columns[date], sheet.notes);
        sheet.calendar = found.calendar;
        sheet.dates = std::move(found.dates);
    }
    for (const std::size_t column : numbers) {
        sheet.names.push_back(columns[column]);
    }
    sheet.values = Matrix(numbers.size(), rows.numbers.size());
    for (std::size_t row = 0; row < rows.numbers.size(); ++row) {
        std::ranges::copy(rows.numbers[row], sheet.values.column(row).begin());
    }
    return sheet;
}

}  // namespace sluice::portfolio
