// walk_forward.hpp -- one strategy through one market: weights set with data up to t earn the return of t + 1.
//
//     g_t   = sum_j w_j r_jt                     before costs
//     net_t = (1 - c |trades|) (1 + g_t) - 1     c: costs of a trade, paid when the weights were set
//     w_j  <- w_j (1 + r_jt) / (1 + g_t)         what is held drifts until it is rebalanced; the rest is cash and earns nothing
//
// A stock without a return earns nothing in that period. If it never trades again it is sold, at its last price and at the usual
// cost; if it does, it stays in the portfolio, because it cannot be sold, and earns its return when it trades again. Neither can
// be bought meanwhile: only stocks that traded in the last period can. No decision uses the future: whether a stock will trade
// in the next period is not known.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "market.hpp"
#include "strategy.hpp"
#include "track_options.hpp"

namespace sluice::portfolio {

/// One stock in one portfolio during one period.
struct Holding {
    std::size_t period = 0;  ///< of the market: the one that earns
    std::size_t index = 0;
    std::size_t stock = 0;
    double weight = 0.0;
};

/// Rows are the scored periods, from `warmup` on; columns the indices.
struct Walk {
    std::size_t first = 0;  ///< the first scored period
    Matrix gross;
    Matrix net;
    Matrix traded;     ///< sum of |trades| that led to the period's weights, as a share of the portfolio
    Matrix names;      ///< stocks held
    Matrix effective;  ///< (sum |w|)^2 / sum w^2: the number of equal weights that are as concentrated
    Matrix invested;   ///< sum of weights
    std::vector<std::size_t> all_names;  ///< stocks held in any portfolio
    std::vector<std::size_t> entered;    ///< of those, not held before; the first purchase is not counted
    std::vector<Holding> holdings;       ///< empty unless they are kept
    Matrix next;                         ///< the same: stocks x indices, weights set after the last period
    std::vector<std::string> notes;      ///< stocks that did not trade while held, portfolios that lost everything
};

enum class Keep { returns_only, holdings_too };

enum class Timing {
    one_step_ahead,  ///< weights earn the period after those that they were set with
    in_sample,       ///< weights earn the period that they were last fitted to: only for comparison with the paper
};

/// Throws OptionError where the options do not suit the market.
[[nodiscard]] Walk walk_forward(const Market& market, Strategy& strategy, const TrackOptions& options,
                                Keep keep = Keep::returns_only, Timing timing = Timing::one_step_ahead);

/// The index's return in a period, plus the enhancement.
[[nodiscard]] double target_return(const Market& market, std::size_t index, std::size_t period,
                                   const TrackOptions& options);

}  // namespace sluice::portfolio
