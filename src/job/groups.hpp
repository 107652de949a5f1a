// groups.hpp -- which inputs belong together, for the group lasso.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sluice/model_file.hpp"

namespace sluice::job {

/// The group of each input of the model, in the order of stacked_names(). `file` has lines of "column,group"; all lags of
/// a column share its group; targets need a group where they have lags. An empty path: the lags of each column are a
/// group. Throws UsageError where a column has no group, or the file names others.
[[nodiscard]] std::vector<std::size_t> groups_for(const Roles& roles, const RowLayout& layout, const std::string& file);

}  // namespace sluice::job
