// counted_rows.hpp -- which of the caller's rows are fitted, and what is refused.
#pragma once

#include <cstddef>
#include <vector>

#include "sluice/matrix.hpp"

namespace sluice::batch {

/// The numbers of the rows that have their outputs. Throws DataError where x and y have different numbers of rows, a
/// value is infinite, or a row has only some of its outputs.
[[nodiscard]] std::vector<std::size_t> counted_rows(const Rows& x, const Rows& y);

}  // namespace sluice::batch
