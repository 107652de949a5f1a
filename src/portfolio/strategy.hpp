// strategy.hpp -- the one face of everything that sets weights: ours and all rivals.
//
//     for each period:  strategy.learn(period);  weights = strategy.weights(standing);  the next period earns them
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sluice/matrix.hpp"

namespace sluice::portfolio {

/// What one period brought.
struct Period {
    std::span<const double> stocks;   ///< returns, NaN where a stock did not trade
    std::span<const double> targets;  ///< returns of the indices, plus what was asked for above them
};

/// Where the portfolios stand when weights are to be set.
struct Standing {
    const Matrix& held;                 ///< stocks x indices, shares of each portfolio after the period's drift
    const std::vector<bool>& tradable;  ///< stocks that traded in the period just past: only these may be bought
};

class Strategy {
  public:
    Strategy() = default;
    virtual ~Strategy() = default;
    Strategy(const Strategy&) = delete;
    Strategy& operator=(const Strategy&) = delete;
    Strategy(Strategy&&) = delete;
    Strategy& operator=(Strategy&&) = delete;

    virtual void learn(const Period& period) = 0;
    /// Stocks x indices: shares of each portfolio; what is left of one is cash. Never NaN.
    [[nodiscard]] virtual Matrix weights(const Standing& standing) = 0;
};

using StrategyPointer = std::unique_ptr<Strategy>;

}  // namespace sluice::portfolio
