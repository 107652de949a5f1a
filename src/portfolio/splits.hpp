// splits.hpp -- prices that are not adjusted for a split: found by their ratio, named, and left out or adjusted.
//
// A split of k new shares for one old divides the price by k: the log return of the period is -log k beside an ordinary one.
// With e the stock's log return less the median of all stocks in the period, and s its usual size (the larger of the median
// |log return| of the stock in the periods before and the median deviation among all stocks in this one), it is a split where
//     |e| >= kFar s            the stock never moves like that
//     |e + log k| <= kNear s   and without the split it moves as usual, for some usual k, 2, 3, 3/2, 1/10, ...
//     hardly any other stock   moves that far in the same direction: no crash
// Only this period and those before are used. A true fall by just half looks the same: hence the message, and Splits::keep.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "market.hpp"

namespace sluice::portfolio {

struct Split {
    std::size_t stock = 0;
    std::size_t period = 0;
    unsigned new_shares = 1;  ///< for `old_shares`; 2 and 1: two new for one old
    unsigned old_shares = 1;
    double gain = 0.0;  ///< the return of the period as the prices show it

    [[nodiscard]] double ratio() const { return static_cast<double>(new_shares) / old_shares; }
    [[nodiscard]] std::string text() const;  ///< "2 for 1"
};

/// Ordered by period, then by stock.
[[nodiscard]] std::vector<Split> find_splits(const Market& market);

/// What is done with the period's return.
enum class Splits {
    missing,  ///< left out: it counts as a period in which the stock did not trade
    adjust,   ///< (1 + r) k - 1
    keep,     ///< as it is
};

/// Finds the splits of a market, treats their returns, and puts them into `market.warnings`, one sentence each.
void treat_splits(Market& market, Splits treatment);

}  // namespace sluice::portfolio
