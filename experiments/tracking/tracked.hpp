// tracked.hpp -- every portfolio of figure 6 and of its three versions.
#pragma once

#include <string>
#include <vector>

#include "experiments/common/paper_market.hpp"
#include "experiments/common/plan.hpp"
#include "experiments/tracking/random_rides.hpp"
#include "experiments/tracking/ride.hpp"

namespace sluice::experiments {

struct Tracked {
    PaperMarket market;
    Ride paper_seen;                  ///< the paper's literal version, in-sample
    Ride any_seen;                    ///< equation (20) on ten names drawn at random, in-sample
    Ride paper_ahead;                 ///< the literal version walked forward, gross
    Ride any_ahead;                   ///< and the ten names, gross
    Ride weighted;                    ///< the paper\'s names, loadings from the weighted moments: walked forward, gross
    Ride ours;                        ///< scaled outputs, refit, constrained weights: walked forward, net
    Ride calm;                        ///< the same at few changes
    Ride lars;                        ///< window LARS, net
    Ride still;                       ///< Algorithm 1 fitted once after the warm-up, net
    Ride equal;                       ///< all stocks in equal parts, net
    std::vector<RandomRides> random;  ///< by index

    [[nodiscard]] std::vector<const Ride*> rides() const;
};

/// So many strategies are run beside the random portfolios.
inline constexpr std::size_t kRides = 10;

[[nodiscard]] Tracked track_all(const Plan& plan);

/// The market (0, 1) to which a stock belongs.
[[nodiscard]] std::size_t market_of(const PaperMarket& market, std::size_t stock);

}  // namespace sluice::experiments
