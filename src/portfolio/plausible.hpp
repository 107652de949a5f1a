// plausible.hpp -- checks that numbers are prices or returns, as the user says: a mix-up is an error, large moves are a note.
#pragma once

#include "market.hpp"
#include "sheet.hpp"

namespace sluice::portfolio {

/// Throws DataError where prices are negative too often to be prices, or returns too large to be fractions.
void check_quote(const Sheet& sheet);

/// Notes moves of more than 50 % in one period and stocks whose price does not change; both are kept.
void note_moves(Market& market);

}  // namespace sluice::portfolio
