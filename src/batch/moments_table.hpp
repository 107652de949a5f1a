// moments_table.hpp -- the table that the off-line methods work with, from moments instead of rows.
#pragma once

#include "row_moments.hpp"
#include "table.hpp"

namespace sluice::batch {

/// X and Y have at most inputs + outputs + gaps + 1 rows, and the products X'X, X'Y, Y'Y of the table of all rows: the
/// methods use no others. Throws DataError where there are no rows. Rows weigh the same.
[[nodiscard]] Table make_table(const RowMoments& moments, std::size_t inputs, const StreamOptions& options);

/// The mean of the values that are not missing, in units of 2^exponent; 0 where there are none.
[[nodiscard]] double mean_of_present(const MomentColumn& column, std::uint64_t rows);

}  // namespace sluice::batch
