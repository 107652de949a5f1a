// random_names.hpp -- equation (20) on names drawn at random: it gives the paper's "exactly +15 %" too.
//
//     s_t = sum of the returns of ten stocks drawn once,   W_t = y_t / s_t                 eq. (20) with u alike for all ten
//     in-sample   s_t W_t = y_t: every target is met exactly, and nothing was learnt
#pragma once

#include <cstddef>
#include <vector>

#include "strategy.hpp"

namespace sluice::experiments {

[[nodiscard]] portfolio::StrategyPointer random_names_strategy(std::vector<std::size_t> names, std::size_t stocks,
                                                               std::size_t indices);

}  // namespace sluice::experiments
