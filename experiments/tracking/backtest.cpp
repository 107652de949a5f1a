#include "experiments/tracking/backtest.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "performance.hpp"
#include "walk_forward.hpp"

namespace sluice::experiments {

namespace {

void finish(Backtest& backtest, const PaperMarket& market) {
    for (std::size_t k = 0; k < backtest.returns.size(); ++k) {
        for (std::size_t i = 0; i < backtest.returns[k].size(); ++i) {
            backtest.farthest =
                std::max(backtest.farthest, std::abs(backtest.returns[k][i] - market.target(k, backtest.from + i)));
        }
    }
    std::size_t entered = 0;
    for (std::size_t i = 1; i < backtest.names.size(); ++i) {
        std::vector<std::size_t> fresh;
        std::ranges::set_difference(backtest.names[i], backtest.names[i - 1], std::back_inserter(fresh));
        entered += fresh.size();
    }
    backtest.changed =
        static_cast<double>(entered) / static_cast<double>(std::max<std::size_t>(backtest.names.size(), 2) - 1);
}

}  // namespace

portfolio::TrackOptions paper_settings() {
    portfolio::TrackOptions options;
    options.names = kHeld;
    options.enhance = kEnhance;
    options.warmup = kWarmup;
    return options;
}

Backtest in_sample(const PaperMarket& market, portfolio::Strategy& strategy) {
    const std::size_t stocks = market.market.stocks.size();
    const std::size_t indices = market.market.indices.size();
    const Matrix nothing(stocks, indices);
    const portfolio::Flags tradable(stocks, 1);
    Backtest backtest{.returns = std::vector<std::vector<double>>(indices)};
    std::vector<double> targets(indices);
    for (std::size_t t = 0; t < market.periods(); ++t) {
        const auto x = market.market.stock_returns.column(t);
        for (std::size_t k = 0; k < indices; ++k) {
            targets[k] = market.target(k, t);
        }
        strategy.learn({.stocks = x, .targets = targets});
        const Matrix weights = strategy.weights({.held = nothing, .tradable = tradable});
        portfolio::Flags held(stocks, 0);
        for (std::size_t k = 0; k < indices; ++k) {
            double earned = 0.0;
            double invested = 0.0;
            for (std::size_t i = 0; i < stocks; ++i) {
                earned += weights(i, k) * x[i];
                invested += std::abs(weights(i, k));
                held[i] = held[i] != 0 || weights(i, k) != 0.0 ? 1 : 0;
            }
            backtest.returns[k].push_back(earned);
            backtest.most_invested = std::max(backtest.most_invested, invested);
        }
        backtest.names.emplace_back();
        for (std::size_t i = 0; i < stocks; ++i) {
            if (held[i] != 0) {
                backtest.names.back().push_back(i);
            }
        }
    }
    finish(backtest, market);
    return backtest;
}

Backtest walked_forward(const PaperMarket& market, portfolio::Strategy& strategy, portfolio::TrackOptions options,
                        double costs) {
    options.costs = costs;
    const portfolio::Walk walk =
        portfolio::walk_forward(market.market, strategy, options, portfolio::Keep::holdings_too);
    const std::size_t indices = market.market.indices.size();
    const std::size_t weeks = walk.net.rows();
    Backtest backtest{.from = walk.first,
                      .returns = std::vector<std::vector<double>>(indices),
                      .names = std::vector<std::vector<std::size_t>>(weeks)};
    Matrix invested(weeks, indices);
    for (const portfolio::Holding& holding : walk.holdings) {
        const std::size_t week = holding.period - walk.first;
        invested(week, holding.index) += std::abs(holding.weight);
        backtest.names[week].push_back(holding.stock);
    }
    for (auto& names : backtest.names) {
        std::ranges::sort(names);
        names.erase(std::unique(names.begin(), names.end()), names.end());
    }
    const portfolio::Performance performance = portfolio::measure(walk, market.market, options);
    for (std::size_t k = 0; k < indices; ++k) {
        for (std::size_t week = 0; week < weeks; ++week) {
            backtest.returns[k].push_back(walk.net(week, k));
            backtest.most_invested = std::max(backtest.most_invested, invested(week, k));
        }
        backtest.costs_per_year += performance.indices[k].trading.costs_per_year / static_cast<double>(indices);
    }
    finish(backtest, market);
    return backtest;
}

}  // namespace sluice::experiments
