// market_csv.hpp -- a market as a table of prices that read_market() can read.
#pragma once

#include <string>

#include "market.hpp"

namespace sluice::portfolio {

/// date, the indices, the stocks; the first row has the prices, 100 each, before the first period. Periods are weeks that end on
/// Fridays from 4 January 2019 on. A stock that did not trade has an empty cell.
[[nodiscard]] std::string weekly_prices_csv(const Market& market);

}  // namespace sluice::portfolio
