// alarms.hpp -- beyond the paper: which faults of a process raise an alarm, how soon, and how many alarms are false. See
// README.md beside it.
#pragma once

#include "experiments/common/plan.hpp"
#include "experiments/common/result.hpp"

namespace sluice::experiments {

[[nodiscard]] std::size_t alarms_rows(const Plan& plan);
[[nodiscard]] Result run_alarms(const Plan& plan);

}  // namespace sluice::experiments
