// price_table.hpp -- a CSV file of prices or returns: names in its header, a column of dates, a row for each date.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "row_reader.hpp"
#include "sheet.hpp"
#include "source.hpp"

namespace sluice::portfolio {

struct TableRequest {
    Quote quote = Quote::prices;
    /// Column of the dates. Empty: the one called date, time, day, week, month, period or timestamp, else the first.
    /// "none": there is none, and rows are counted.
    std::string date = {};
    std::vector<std::string> ignore = {};  ///< columns left out: names, or patterns with * and ?
    io::Dialect dialect = {};
};

/// A date that occurs twice with the same numbers counts once, and a note says so; with other numbers it is an error,
/// because it cannot be known which are right. So is a date before the one above it. Throws io::RowError with line, column
/// and remedies, DataError, OptionError for a column that does not exist, io::SourceError.
[[nodiscard]] Sheet read_price_table(std::unique_ptr<io::ByteSource> source, const TableRequest& request);

}  // namespace sluice::portfolio
