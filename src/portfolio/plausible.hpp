// plausible.hpp -- are these numbers what they are said to be? Prices taken for returns are an error; wild moves are a note.
#pragma once

#include "market.hpp"
#include "sheet.hpp"

namespace sluice::portfolio {

/// Throws DataError where prices are negative too often to be prices, or returns too large to be fractions.
void check_quote(const Sheet& sheet);

/// Notes moves of more than 50 % in one period and stocks whose price stands still; both stay as they are.
void note_moves(Market& market);

}  // namespace sluice::portfolio
