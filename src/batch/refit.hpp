// refit.hpp -- least squares on the variables kept so far, slightly shrunk.
#pragma once

#include <cstddef>
#include <span>

#include "table.hpp"

namespace sluice::batch {

/// beta, p x q in working units: zero but for the rows of the support.
[[nodiscard]] MatrixXd refit(const Table& table, std::span<const std::size_t> support, double shrinkage);

}  // namespace sluice::batch
