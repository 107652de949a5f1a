// static_portfolio.hpp -- figure 5: ten of 98 stocks, weights set once, +15 % a year above the index.
#pragma once

#include <cstddef>

#include "experiments/common/plan.hpp"
#include "experiments/common/result.hpp"

namespace sluice::experiments {

[[nodiscard]] std::size_t static_portfolio_rows(const Plan& plan);
[[nodiscard]] Result run_static_portfolio(const Plan& plan);

}  // namespace sluice::experiments
