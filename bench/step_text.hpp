// step_text.hpp -- the cost of a row as a line of a table and as JSON.
#pragma once

#include <string>

#include "step_cost.hpp"

namespace sluice::bench {

/// Machine, caches, compiler and the names of the columns.
[[nodiscard]] std::string step_heading();
/// `verdict`: whether the goals are reached; may be empty.
[[nodiscard]] std::string as_line(const StepCase& what, const StepCost& cost, const std::string& verdict);
[[nodiscard]] std::string as_json(const StepCase& what, const StepCost& cost);

}  // namespace sluice::bench
