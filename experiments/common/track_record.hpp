// track_record.hpp -- the performance of a sequence of returns, compared with the index and the target.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "experiments/common/paper_market.hpp"

namespace sluice::experiments {

/// Reinvested: product of (1 + r) up to each period, less 1. Whoever has lost everything has nothing left to invest.
[[nodiscard]] std::vector<double> cumulative(std::span<const double> returns);
/// Of the whole sequence, a year.
[[nodiscard]] double annual(std::span<const double> returns, double periods_per_year);

/// Periods `from` (counted from 0) to the end of the market.
[[nodiscard]] std::vector<double> index_returns(const PaperMarket& market, std::size_t index, std::size_t from = 0);
[[nodiscard]] std::vector<double> target_returns(const PaperMarket& market, std::size_t index, std::size_t from = 0);

/// returns[i] is of period from + i.
struct TrackRecord {
    double annual_return = 0.0;        ///< reinvested
    double over_index = 0.0;           ///< a year: mean difference of a period's returns, times the periods of a year
    double over_target = 0.0;          ///< the same
    double error_over_variance = 0.0;  ///< squared distance from the target's returns, over their variance
    double total = 0.0;                ///< cumulative return at the end
    double total_over_index = 0.0;     ///< the same, less that of the index
};
[[nodiscard]] TrackRecord record_of(const PaperMarket& market, std::size_t index, std::span<const double> returns,
                                    std::size_t from = 0);

}  // namespace sluice::experiments
