// static.hpp -- figure 1 of the paper. See README.md beside it.
#pragma once

#include "experiments/common/plan.hpp"
#include "experiments/common/result.hpp"

namespace sluice::experiments {

[[nodiscard]] std::size_t static_stream_rows(const Plan& plan);
[[nodiscard]] Result run_static_stream(const Plan& plan);

}  // namespace sluice::experiments
