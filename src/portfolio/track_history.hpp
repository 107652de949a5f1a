// track_history.hpp -- the back-test of one strategy as the history that the page of `sluice report` shows.
//
//   page        back-test
//   row         a period of the market, from 1; those of the warm-up are not scored
//   target      an index: its return in per cent, with the enhancement
//   predicted   what the portfolio earned in that period, in per cent after costs, with weights that were set before
//   input       a stock; it is in use while it is held
//   weight      its share of the portfolio, in per cent
//   component   its index
//   event       rebalanced: what was traded, and the names bought and sold; note: a stock that did not trade while it was held
#pragma once

#include <string>

#include "history.hpp"
#include "history_json.hpp"
#include "track_job.hpp"

namespace sluice::portfolio {

/// The strategy that a page shows: `sluice`, or the first whose holdings are known. nullptr: none, as with `random` alone.
[[nodiscard]] const StrategyResult* shown_strategy(const TrackResult& result);

/// Trades of every period are events where rebalancing is not due in each of them; else only those that change the names.
[[nodiscard]] report::History track_history(const StrategyResult& strategy, const Market& market,
                                            const TrackOptions& options);

/// source: where the market comes from.
[[nodiscard]] report::ReportText track_text(const StrategyResult& strategy, const Market& market,
                                            const TrackOptions& options, std::string source);

}  // namespace sluice::portfolio
