// random_portfolios.hpp -- what the paper compares with: portfolios of stocks drawn at random, weights by recursive least squares.
#pragma once

#include <cstddef>
#include <vector>

#include "experiments/common/curve.hpp"
#include "experiments/common/paper_market.hpp"
#include "experiments/common/plan.hpp"

namespace sluice::experiments {

/// Of one index.
struct RandomPortfolios {
    Curve in_sample;               ///< cumulative returns over all weeks: mean and deviation over the portfolios
    Curve forward;                 ///< walked forward, from kWarmup on, gross
    double in_sample_error = 0.0;  ///< over variance, mean over the portfolios
    double forward_error = 0.0;
    double in_sample_over_index = 0.0;  ///< a year, mean difference of weekly returns
    double forward_over_index = 0.0;
};

/// plan.portfolios of them, on the plan's threads, for each index. The numbers do not depend on the threads.
[[nodiscard]] std::vector<RandomPortfolios> random_portfolios(const Plan& plan, const PaperMarket& market);

}  // namespace sluice::experiments
