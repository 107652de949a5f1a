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

/// strategy,date,index,stock,weight: a line for every stock held in every period.
[[nodiscard]] std::string holdings_csv(const TrackResult& result, const Market& market);

}  // namespace sluice::portfolio
