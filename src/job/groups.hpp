// groups.hpp -- which inputs belong together, for the group lasso.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace sluice::job {

/// The group of each lagged input. `file` has lines of "column,group"; all lags of a column share its group. An empty
/// path: the lags of each column are a group. Throws UsageError where a column has no group, or the file names others.
[[nodiscard]] std::vector<std::size_t> groups_for(const std::vector<std::string>& columns, std::size_t lags,
                                                  const std::string& file);

}  // namespace sluice::job
