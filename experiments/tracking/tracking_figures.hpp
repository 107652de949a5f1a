// tracking_figures.hpp -- figure 6 in three versions, the heatmap of holdings, and the table beside them.
#pragma once

#include <string>
#include <vector>

#include "experiments/common/result.hpp"
#include "experiments/tracking/tracked.hpp"

namespace sluice::experiments {

[[nodiscard]] Figure curves_figure(const Tracked& all);
[[nodiscard]] Figure holdings_figure(const Tracked& all);
[[nodiscard]] Table tracking_table(const Tracked& all);
[[nodiscard]] std::vector<Series> tracking_series(const Tracked& all);
[[nodiscard]] std::string ratio(double value);  ///< 0.229, 15.6, 1440; 0 below 1e-20

}  // namespace sluice::experiments
