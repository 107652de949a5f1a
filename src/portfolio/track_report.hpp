// track_report.hpp -- what a run of `sluice track` says: a table for people, JSON for programs, CSV of what was held.
#pragma once

#include <string>

#include "track_job.hpp"

namespace sluice::portfolio {

/// Every index with every strategy, net of costs, and the gross error; then what our strategy holds at the end.
[[nodiscard]] std::string track_table(const TrackResult& result, const Market& market, const TrackOptions& options);

/// {"strategies": [{"name": "sluice", "indices": [{"name": ..., "error_over_variance": ..., "gross": {...}, ...}], ...}], ...}, one
/// line. Figures are net of costs; those before costs are under "gross".
[[nodiscard]] std::string track_json(const TrackResult& result, const Market& market, const TrackOptions& options);

/// strategy,date,index,stock,weight: a line for every stock held in every period, and one for the cash, called "cash" or,
/// where a stock has that name, "(cash)": the weights of a portfolio add up to one. Cash below zero is borrowed.
[[nodiscard]] std::string holdings_csv(const TrackResult& result, const Market& market);

/// strategy,date,index,net,gross,index_return,target_return,traded,cash: a line for every portfolio in every period.
[[nodiscard]] std::string periods_csv(const TrackResult& result, const Market& market, const TrackOptions& options);

}  // namespace sluice::portfolio
