// returns.hpp -- from a sheet to a market: which names are indices, and returns from prices, without using the future.
//
//     r_t = p_t / p_s - 1,    s the last period before t in which the stock had a price
//
// What is done where a price is missing (a price of zero or less counts as missing):
//   stock, before its first or after its last price   no return (NaN): it did not trade
//   stock, a gap in between     no return (NaN) in the gap; the next return spans it, as a holder earned it. During the gap it cannot
//                               be distinguished from a stock that stopped trading, so that no strategy uses the future
//   index                       a period that ends without a price of every index is joined with the next one: the row
//                               is left out, and the returns of all names span it
// In a file of returns a stock's missing return stays NaN, an index may have missing ones only at the ends, and a stock's return
// below -100 % counts as missing.
#pragma once

#include <string>
#include <vector>

#include "market.hpp"
#include "sheet.hpp"
#include "splits.hpp"

namespace sluice::portfolio {

/// Without `indices` those that the files themselves give. An index that is not asked for is left out. Throws OptionError where
/// a name is not there or none is given, DataError where the numbers cannot be prices, or returns.
[[nodiscard]] Market market_of(const Sheet& sheet, const std::vector<std::string>& indices,
                               Splits splits = Splits::keep);

}  // namespace sluice::portfolio
