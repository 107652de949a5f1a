// tracked.hpp -- every portfolio of figure 6 and of its three versions.
#pragma once

#include <string>
#include <vector>

#include "experiments/common/paper_market.hpp"
#include "experiments/common/plan.hpp"
#include "experiments/tracking/backtest.hpp"
#include "experiments/tracking/random_portfolios.hpp"

namespace sluice::experiments {

struct Tracked {
    PaperMarket market;
    Backtest paper_in_sample;   ///< the paper's literal version, in-sample
    Backtest random_in_sample;  ///< equation (20) on ten names drawn at random, in-sample
    Backtest paper_forward;     ///< the literal version walked forward, gross
    Backtest random_forward;    ///< and the ten names, gross
    Backtest weighted;          ///< the paper's names, loadings from the weighted moments: walked forward, gross
    Backtest ours;              ///< scaled outputs, refit, constrained weights: walked forward, net
    Backtest calm;              ///< the same at few changes
    Backtest lars;              ///< window LARS, net
    Backtest fitted_once;       ///< Algorithm 1 fitted once after the warm-up, net
    Backtest equal;             ///< all stocks in equal parts, net
    std::vector<RandomPortfolios> random;  ///< by index

    [[nodiscard]] std::vector<const Backtest*> backtests() const;
};

/// Strategies that are run beside the random portfolios.
inline constexpr std::size_t kBacktests = 10;

[[nodiscard]] Tracked track_all(const Plan& plan);

/// The market (0, 1) to which a stock belongs.
[[nodiscard]] std::size_t market_of(const PaperMarket& market, std::size_t stock);

}  // namespace sluice::experiments
