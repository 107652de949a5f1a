#include "experiments/tracking/literal_portfolio.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "sluice/model.hpp"

namespace sluice::experiments {

namespace {

std::vector<double> targets_at(const PaperMarket& market, std::size_t t) {
    std::vector<double> y;
    for (std::size_t k = 0; k < market.market.indices.size(); ++k) {
        y.push_back(market.target(k, t));
    }
    return y;
}

// Coefficients of one period, stocks x indices, earn it and the next.
void note(LiteralRun& run, const PaperMarket& market, std::size_t t, const Matrix& weights,
          const std::vector<std::size_t>& names) {
    const std::size_t indices = market.market.indices.size();
    run.in_sample.resize(indices);
    run.forward.resize(indices);
    double exposure = 0.0;
    for (std::size_t k = 0; k < indices; ++k) {
        double now = 0.0;
        double next = 0.0;
        double sum = 0.0;
        for (const std::size_t i : names) {
            now += weights(i, k) * market.market.stock_returns(i, t);
            next += t + 1 < market.periods() ? weights(i, k) * market.market.stock_returns(i, t + 1) : 0.0;
            sum += std::abs(weights(i, k));
        }
        run.in_sample[k].push_back(now);
        if (t + 1 < market.periods()) {
            run.forward[k].push_back(next);
        }
        run.farthest = std::max(run.farthest, std::abs(now - market.target(k, t)));
        exposure = std::max(exposure, sum);
    }
    run.names.push_back(names);
    run.exposure.push_back(exposure);
}

}  // namespace

LiteralRun literal_run(const PaperMarket& market) {
    StreamOptions options = StreamOptions::paper();
    options.components = 1;
    options.keep = {kHeld};
    options.forgetting = 0.99;
    options.center = false;
    options.balance = Balance::raw;
    options.loadings = Loadings::instant;
    StreamModel model(market.market.stocks.size(), market.market.indices.size(), options);
    LiteralRun run;
    for (std::size_t t = 0; t < market.periods(); ++t) {
        (void)model.learn(market.market.stock_returns.column(t), targets_at(market, t));
        const auto selected = model.selected();
        note(run, market, t, model.coefficients(), {selected.begin(), selected.end()});
    }
    return run;
}

LiteralRun any_names_run(const PaperMarket& market, std::uint64_t seed) {
    const std::size_t stocks = market.market.stocks.size();
    std::mt19937_64 bits(seed);
    std::vector<std::size_t> names(stocks);
    std::iota(names.begin(), names.end(), std::size_t{0});
    for (std::size_t i = 0; i < kHeld; ++i) {  // the first ten of a shuffle, the same on every machine
        std::swap(names[i], names[i + (bits() % (stocks - i))]);
    }
    names.resize(kHeld);
    std::ranges::sort(names);
    LiteralRun run;
    for (std::size_t t = 0; t < market.periods(); ++t) {
        double s = 0.0;
        for (const std::size_t i : names) {
            s += market.market.stock_returns(i, t);
        }
        Matrix weights(stocks, market.market.indices.size());
        for (std::size_t k = 0; k < weights.cols(); ++k) {
            for (const std::size_t i : names) {
                weights(i, k) = s == 0.0 ? 0.0 : market.target(k, t) / s;
            }
        }
        note(run, market, t, weights, names);
    }
    return run;
}

}  // namespace sluice::experiments
