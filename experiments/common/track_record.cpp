#include "experiments/common/track_record.hpp"

#include <algorithm>
#include <cmath>

namespace sluice::experiments {

std::vector<double> cumulative(std::span<const double> returns) {
    std::vector<double> out;
    out.reserve(returns.size());
    double value = 1.0;
    for (const double r : returns) {
        value = std::max(0.0, value * (1.0 + r));
        out.push_back(value - 1.0);
    }
    return out;
}

double annual(std::span<const double> returns, double periods_per_year) {
    double value = 1.0;
    for (const double r : returns) {
        value = std::max(0.0, value * (1.0 + r));
    }
    return value <= 0.0 ? -1.0 : std::pow(value, periods_per_year / static_cast<double>(returns.size())) - 1.0;
}

std::vector<double> index_returns(const PaperMarket& market, std::size_t index, std::size_t from) {
    std::vector<double> out;
    for (std::size_t t = from; t < market.periods(); ++t) {
        out.push_back(market.market.index_returns(index, t));
    }
    return out;
}

std::vector<double> target_returns(const PaperMarket& market, std::size_t index, std::size_t from) {
    std::vector<double> out;
    for (std::size_t t = from; t < market.periods(); ++t) {
        out.push_back(market.target(index, t));
    }
    return out;
}

TrackRecord record_of(const PaperMarket& market, std::size_t index, std::span<const double> returns, std::size_t from) {
    const double year = market.market.periods_per_year;
    const std::vector<double> followed = index_returns(market, index, from);
    const std::vector<double> target = target_returns(market, index, from);
    double mean = 0.0;
    for (const double r : target) {
        mean += r / static_cast<double>(target.size());
    }
    double over_index = 0.0;
    double over_target = 0.0;
    double error = 0.0;
    double variance = 0.0;
    for (std::size_t t = 0; t < target.size(); ++t) {
        over_index += year * (returns[t] - followed[t]) / static_cast<double>(target.size());
        over_target += year * (returns[t] - target[t]) / static_cast<double>(target.size());
        error += (returns[t] - target[t]) * (returns[t] - target[t]);
        variance += (target[t] - mean) * (target[t] - mean);
    }
    const double total = cumulative(returns).back();
    return {.annual_return = annual(returns, year),
            .over_index = over_index,
            .over_target = over_target,
            .error_over_variance = error / variance,
            .total = total,
            .total_over_index = total - cumulative(followed).back()};
}

}  // namespace sluice::experiments
