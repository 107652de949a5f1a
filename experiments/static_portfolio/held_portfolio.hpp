// held_portfolio.hpp -- ten names with weights set once: LARS, Algorithm 1, and ours.
#pragma once

#include <cstddef>
#include <vector>

#include "experiments/common/paper_market.hpp"

namespace sluice::experiments {

/// Weights of one portfolio, set from periods 0 to `to` - 1 of the first index of the market.
struct HeldPortfolio {
    std::vector<double> weights;            ///< of each stock, most of them 0
    std::vector<std::size_t> names;         ///< stocks whose weight is not 0, ascending
    [[nodiscard]] double invested() const;  ///< sum of the weights; the rest is cash, or borrowed
};

/// Least-angle regression through the origin, inputs at unit length, up to the knot at which an eleventh name would join.
[[nodiscard]] HeldPortfolio by_lars(const PaperMarket& market, std::size_t to);
/// Algorithm 1 with one component of ten variables, through the origin: weights are its coefficients.
[[nodiscard]] HeldPortfolio by_sparse_bridge(const PaperMarket& market, std::size_t to);
/// Ours: names by refit deflation (two to a component), weights by least squares that are positive and sum to one.
[[nodiscard]] HeldPortfolio by_constrained_refit(const PaperMarket& market, std::size_t to);

/// What the weights earn in periods `from` to the end, brought back to them after each period; `costs` in basis points of
/// what is traded for that, the first purchase included.
[[nodiscard]] std::vector<double> earned(const PaperMarket& market, const HeldPortfolio& held, std::size_t from,
                                         double costs);

}  // namespace sluice::experiments
