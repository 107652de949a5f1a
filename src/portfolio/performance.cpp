#include "performance.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

#include "sluice/score.hpp"

namespace sluice::portfolio {

namespace {

double annual(std::span<const double> returns, double periods_per_year) {
    double log_wealth = 0.0;
    for (const double r : returns) {
        if (!(r > -1.0)) {
            return -1.0;
        }
        log_wealth += std::log1p(r);
    }
    return std::expm1(log_wealth * periods_per_year / static_cast<double>(returns.size()));
}

double drawdown(std::span<const double> returns) {
    double wealth = 1.0;
    double peak = 1.0;
    double deepest = 0.0;
    for (const double r : returns) {
        wealth *= 1.0 + r;
        peak = std::max(peak, wealth);
        deepest = std::max(deepest, 1.0 - (wealth / peak));
    }
    return deepest;
}

struct Spread {
    double mean = 0.0;
    double deviation = 0.0;  // over n - 1; 0 for a single number
};

Spread spread_of(std::span<const double> a, std::span<const double> b) {
    const auto n = static_cast<double>(a.size());
    double sum = 0.0;
    for (std::size_t t = 0; t < a.size(); ++t) {
        sum += a[t] - b[t];
    }
    Spread out{.mean = sum / n};
    double square = 0.0;
    for (std::size_t t = 0; t < a.size(); ++t) {
        const double d = a[t] - b[t] - out.mean;
        square += d * d;
    }
    out.deviation = a.size() > 1 ? std::sqrt(square / (n - 1.0)) : 0.0;
    return out;
}

double mean(std::span<const double> values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

Trading trading_of(const Walk& walk, std::size_t k, const TrackOptions& options, double periods_per_year) {
    const auto traded = walk.traded.column(k);
    const auto n = static_cast<double>(traded.size());
    Trading out;
    out.turnover_per_period =
        traded.size() > 1 ? std::accumulate(traded.begin() + 1, traded.end(), 0.0) / (n - 1.0) : 0.0;
    out.costs = options.costs * kBasisPoint * std::accumulate(traded.begin(), traded.end(), 0.0);
    out.costs_per_year = out.costs * periods_per_year / n;
    out.names = mean(walk.names.column(k));
    out.effective_names = mean(walk.effective.column(k));
    out.invested = mean(walk.invested.column(k));
    return out;
}

}  // namespace

Figures figures(std::span<const double> p, std::span<const double> i, std::span<const double> y,
                double periods_per_year) {
    assert(!p.empty() && p.size() == i.size() && p.size() == y.size());
    Score score;  // the variance of the target is that of the index: the enhancement is the same in all periods
    for (std::size_t t = 0; t < p.size(); ++t) {
        score.add(y[t], p[t]);
    }
    const Spread off_target = spread_of(p, y);
    const Spread off_index = spread_of(p, i);
    Figures out;
    out.error_over_variance = score.error_over_variance();
    out.tracking_error = std::sqrt(periods_per_year) * off_target.deviation;
    out.annual_return = annual(p, periods_per_year);
    out.annual_excess = out.annual_return - annual(i, periods_per_year);
    out.annual_excess_over_target = out.annual_return - annual(y, periods_per_year);
    out.information_ratio =
        off_index.deviation > 0.0 ? std::sqrt(periods_per_year) * off_index.mean / off_index.deviation : 0.0;
    out.maximum_drawdown = drawdown(p);
    return out;
}

Performance measure(const Walk& walk, const Market& market, const TrackOptions& options) {
    const std::size_t rows = walk.gross.rows();
    const auto n = static_cast<double>(rows);
    Performance out;
    std::vector<double> index(rows);
    std::vector<double> target(rows);
    for (std::size_t k = 0; k < market.indices.size(); ++k) {
        for (std::size_t row = 0; row < rows; ++row) {
            index[row] = market.index_returns(k, walk.first + row);
            target[row] = target_return(market, k, walk.first + row, options);
        }
        out.indices.push_back({.name = market.indices[k],
                               .net = figures(walk.net.column(k), index, target, market.periods_per_year),
                               .gross = figures(walk.gross.column(k), index, target, market.periods_per_year),
                               .trading = trading_of(walk, k, options, market.periods_per_year)});
        out.costs += out.indices.back().trading.costs / static_cast<double>(market.indices.size());
    }
    for (std::size_t row = 0; row < rows; ++row) {
        out.names_held += static_cast<double>(walk.all_names[row]);
        out.most_names = std::max(out.most_names, static_cast<double>(walk.all_names[row]));
        out.names_changed_per_period += static_cast<double>(walk.entered[row]);
    }
    out.names_held /= n;
    out.names_changed_per_period /= n;
    return out;
}

}  // namespace sluice::portfolio
