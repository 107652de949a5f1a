// backtest.hpp -- the returns of one strategy in the market of section 4.2: in-sample, as in the paper, or walked forward.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "experiments/common/paper_market.hpp"
#include "strategy.hpp"
#include "track_options.hpp"

namespace sluice::experiments {

inline constexpr std::size_t kWarmup = 52;  ///< weeks that are not scored, walked forward
inline constexpr double kNetCosts = 10.0;   ///< basis points, net

struct Backtest {
    std::string name = {};                             ///< in tables
    std::string key = {};                              ///< in JSON and CSV
    std::size_t from = 0;                              ///< the first week of `returns`, counted from 0
    std::vector<std::vector<double>> returns = {};     ///< by index
    std::vector<std::vector<std::size_t>> names = {};  ///< held over all portfolios in the week of `returns`, ascending
    double most_invested = 0.0;                        ///< largest sum of |weights| of a portfolio in any week
    double farthest = 0.0;                             ///< largest distance of a return from its target
    double changed = 0.0;                              ///< names that enter, a week
    double costs_per_year = 0.0;                       ///< of a portfolio, on average over the indices; 0 where gross
};

/// The weights of a week earn the returns of the same week.
[[nodiscard]] Backtest in_sample(const PaperMarket& market, portfolio::Strategy& strategy);

/// The weights of a week earn the returns of the next one. Costs: 0, or kNetCosts.
[[nodiscard]] Backtest walked_forward(const PaperMarket& market, portfolio::Strategy& strategy,
                                      portfolio::TrackOptions options, double costs);

/// Section 4.2: ten names, +15 %, the paper's forgetting.
[[nodiscard]] portfolio::TrackOptions paper_settings();

}  // namespace sluice::experiments
