#include "experiments/tracking/tracked.hpp"

#include <functional>
#include <utility>

#include "experiments/tracking/random_names.hpp"
#include "experiments/tracking/weighted_loadings.hpp"
#include "random_population.hpp"
#include "strategies.hpp"

namespace sluice::experiments {

std::vector<const Backtest*> Tracked::backtests() const {
    return {&paper_in_sample,
            &random_in_sample,
            &paper_forward,
            &random_forward,
            &weighted,
            &ours,
            &calm,
            &lars,
            &fitted_once,
            &equal};
}

Tracked track_all(const Plan& plan) {
    using namespace portfolio;  // NOLINT(google-build-using-namespace)
    Tracked out;
    out.market = paper_market(plan);
    const std::size_t stocks = out.market.market.stocks.size();
    const std::size_t indices = out.market.market.indices.size();
    const TrackOptions paper = paper_settings();
    const auto preset = [&](const char* name) {
        TrackOptions options = TrackOptions::preset(name);
        options.names = kHeld;
        options.enhance = kEnhance;
        options.warmup = kWarmup;
        return options;
    };
    const auto named = [&](Backtest backtest, const char* name, const char* key) {
        backtest.name = name;
        backtest.key = key;
        report_progress(plan, kMarketWeeks);
        return backtest;
    };
    const auto seen = [&](const StrategyPointer& strategy) { return in_sample(out.market, *strategy); };
    const auto ahead = [&](const StrategyPointer& strategy, const TrackOptions& options, double costs) {
        return walked_forward(out.market, *strategy, options, costs);
    };
    const std::vector<std::size_t> any = random_names(stocks, kHeld, plan.seed, 0);
    const TrackOptions best = preset("tracking");
    const TrackOptions few = preset("calm");

    out.paper_in_sample =
        named(seen(paper_strategy(stocks, indices, paper)), "the paper's, in-sample", "paper_in_sample");
    out.random_in_sample = named(seen(random_names_strategy(any, stocks, indices)),
                                 "eq. (20) on ten names drawn at random, in-sample", "any_names_in_sample");
    out.paper_forward = named(ahead(paper_strategy(stocks, indices, paper), paper, 0.0), "the paper's, walked forward",
                              "paper_forward");
    out.random_forward = named(ahead(random_names_strategy(any, stocks, indices), paper, 0.0),
                               "eq. (20) on ten names drawn at random, walked forward", "any_names_forward");
    out.weighted = named(ahead(weighted_loadings_strategy(stocks, indices), paper, 0.0),
                         "the paper's names, loadings of eq. (10), walked forward", "weighted_forward");
    out.ours = named(ahead(sluice_strategy(stocks, indices, best), best, kNetCosts), "ours, net", "ours");
    out.calm = named(ahead(sluice_strategy(stocks, indices, few), few, kNetCosts), "ours, calm, net", "ours_calm");
    out.lars = named(ahead(window_strategy(WindowKind::lars, stocks, indices, best), best, kNetCosts),
                     "window LARS, net", "lars");
    out.fitted_once = named(ahead(static_strategy(stocks, indices, paper), paper, kNetCosts),
                            "SB-PLS of week 52, held, net", "static");
    out.equal =
        named(ahead(equal_strategy(stocks, indices), paper, kNetCosts), "all stocks in equal parts, net", "equal");
    out.random = random_portfolios(plan, out.market);
    return out;
}

std::size_t market_of(const PaperMarket& market, std::size_t stock) {
    for (std::size_t k = 0; k < market.market.indices.size(); ++k) {
        if (market.market.stocks[stock].starts_with(market.market.indices[k] + ".")) {
            return k;
        }
    }
    return 0;
}

}  // namespace sluice::experiments
