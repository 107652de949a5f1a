// track_job.hpp -- runs strategies through one market, under the same rules and costs.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "performance.hpp"
#include "random_population.hpp"
#include "reasons.hpp"

namespace sluice::portfolio {

struct StrategyName {
    std::string_view name;
    std::string_view about;  ///< one line
    bool usual = true;       ///< run unless others are asked for
};

/// In the order of the tables; ours, `sluice`, is the first.
[[nodiscard]] std::span<const StrategyName> strategy_names();

/// What one portfolio did in one period.
struct PeriodResult {
    std::size_t period = 0;  ///< of the market
    std::size_t index = 0;
    double gross = 0.0;     ///< return before costs
    double net = 0.0;       ///< after costs
    double traded = 0.0;    ///< sum of |trades| that led to its weights, as a share of the portfolio
    double invested = 0.0;  ///< sum of weights; the rest, 1 less this, is cash
};

struct StrategyResult {
    std::string name = {};
    std::string about = {};
    Performance performance = {};
    std::vector<Figures> spread = {};  ///< of each index, where the performance is a mean over many portfolios
    std::vector<Holding> holdings = {};
    std::vector<PeriodResult> periods = {};  ///< by period, then by index; empty for the mean of many portfolios
    std::vector<Reason> next = {};           ///< what to hold in the period after the last, and why; ours only
    std::vector<std::string> notes = {};
};

struct TrackResult {
    std::size_t scored = 0;  ///< periods
    std::vector<StrategyResult> strategies = {};
};

/// Throws OptionError: options that do not suit the market, a name that is not among strategy_names().
[[nodiscard]] TrackResult run_track(const Market& market, const TrackOptions& options,
                                    const std::vector<std::string>& strategies);

}  // namespace sluice::portfolio
