// online_methods.hpp -- ridge, lasso and LARS row by row, dynamic model averaging and naive forecasts as methods of the table.
#pragma once

#include <span>

#include "methods.hpp"

namespace sluice::baselines {

[[nodiscard]] std::span<const MethodEntry> online_methods();

}  // namespace sluice::baselines
