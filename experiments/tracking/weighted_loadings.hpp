// weighted_loadings.hpp -- the paper's selection with loadings that can be used: equation (10) on the weighted moments instead of (20).
#pragma once

#include <cstddef>

#include "strategy.hpp"

namespace sluice::experiments {

/// R = 1, ten names, forgetting 0.99, nothing centred or scaled; weights are the coefficients, whatever their sign and sum.
[[nodiscard]] portfolio::StrategyPointer weighted_loadings_strategy(std::size_t stocks, std::size_t indices);

}  // namespace sluice::experiments
