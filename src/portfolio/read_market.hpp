// read_market.hpp -- files to a market: OR-Library's or CSV, recognised by their content, joined by week or by date.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "market.hpp"
#include "row_reader.hpp"
#include "sheet.hpp"
#include "splits.hpp"

namespace sluice::portfolio {

struct MarketRequest {
    std::vector<std::string> files = {};  ///< paths; "-" is standard input. gzip and zstd are recognised.
    Quote quote = Quote::prices;          ///< what CSV files hold
    std::vector<std::string> index = {};  ///< names of the indices; empty: OR-Library's own
    std::string date = {};                ///< column of the dates, see TableRequest
    std::vector<std::string> ignore = {};
    std::optional<double> periods_per_year = std::nullopt;  ///< empty: from the dates; 52 where there are none
    Splits splits = Splits::keep;  ///< what is done where the numbers are not adjusted for a split
    io::Dialect dialect = {};
};

/// Throws OptionError, DataError (io::RowError for a row), io::SourceError; messages name file, line and column.
[[nodiscard]] Market read_market(const MarketRequest& request);

}  // namespace sluice::portfolio
