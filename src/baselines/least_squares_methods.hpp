// least_squares_methods.hpp -- recursive least squares and LARS on a window as methods of the table.
#pragma once

#include <span>

#include "methods.hpp"

namespace sluice::baselines {

[[nodiscard]] std::span<const MethodEntry> least_squares_methods();

}  // namespace sluice::baselines
