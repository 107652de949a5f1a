// strategy.hpp -- the interface of everything that sets weights: our strategy and those it is compared with.
//
//     for each period:  strategy.learn(period);  weights = strategy.weights(holdings);  the next period earns them
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sluice/matrix.hpp"

namespace sluice::portfolio {

/// One for each stock, 1 or 0. A byte each: with -Og, which does not inline std::vector<bool>, all experiments spent four
/// fifths of their time in it.
using Flags = std::vector<char>;

/// The returns of one period.
struct Period {
    std::span<const double> stocks;   ///< returns, NaN where a stock did not trade
    std::span<const double> targets;  ///< returns of the indices, plus the enhancement that was asked for
};

/// The portfolios before weights are set.
struct Holdings {
    const Matrix& held;     ///< stocks x indices, shares of each portfolio after the period's drift
    const Flags& tradable;  ///< stocks that traded in the last period: only these may be bought
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
    [[nodiscard]] virtual Matrix weights(const Holdings& holdings) = 0;
};

using StrategyPointer = std::unique_ptr<Strategy>;

}  // namespace sluice::portfolio
