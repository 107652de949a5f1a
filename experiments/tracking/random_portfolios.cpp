#include "experiments/tracking/random_portfolios.hpp"

#include "experiments/common/track_record.hpp"
#include "experiments/tracking/backtest.hpp"
#include "random_population.hpp"
#include "strategies.hpp"

namespace sluice::experiments {

namespace {

constexpr double kRidesForgetting = 0.99;

// One portfolio, both ways, index by index.
struct Both {
    std::vector<std::vector<double>> in_sample;
    std::vector<std::vector<double>> forward;
};

Both one_portfolio(const PaperMarket& market, const Plan& plan, std::size_t number) {
    const std::size_t stocks = market.market.stocks.size();
    const std::size_t indices = market.market.indices.size();
    const auto names = portfolio::random_names(stocks, kHeld, plan.seed, number);
    const auto seen = portfolio::rls_strategy(names, stocks, indices, kRidesForgetting);
    const auto ahead = portfolio::rls_strategy(names, stocks, indices, kRidesForgetting);
    return {.in_sample = in_sample(market, *seen).returns,
            .forward = walked_forward(market, *ahead, paper_settings(), 0.0).returns};
}

}  // namespace

std::vector<RandomPortfolios> random_portfolios(const Plan& plan, const PaperMarket& market) {
    Plan portfolios = plan;
    portfolios.runs = plan.portfolios;
    std::vector<Both> all(plan.portfolios);
    each_run(portfolios, kMarketWeeks,
             [&](std::size_t number, std::uint64_t /*seed*/) { all[number] = one_portfolio(market, plan, number); });
    const auto count = static_cast<double>(all.size());
    std::vector<RandomPortfolios> out(market.market.indices.size());
    for (std::size_t k = 0; k < out.size(); ++k) {
        std::vector<std::vector<double>> seen;
        std::vector<std::vector<double>> ahead;
        for (const Both& one : all) {
            const TrackRecord before = record_of(market, k, one.in_sample[k]);
            const TrackRecord after = record_of(market, k, one.forward[k], kWarmup);
            out[k].in_sample_error += before.error_over_variance / count;
            out[k].forward_error += after.error_over_variance / count;
            out[k].in_sample_over_index += before.over_index / count;
            out[k].forward_over_index += after.over_index / count;
            seen.push_back(cumulative(one.in_sample[k]));
            ahead.push_back(cumulative(one.forward[k]));
        }
        out[k].in_sample = curve_of(seen);
        out[k].forward = curve_of(ahead);
    }
    return out;
}

}  // namespace sluice::experiments
