// market_stream.cpp -- indices and stocks by a factor model with regimes.
//
//     m_{t,k}   = sqrt(c) g_t + sqrt(1-c) e              the factor of market k; g is common to all markets, c = 0.25
//     f_{t,k,s} = e                                      the sectors of market k
//     log(1 + r_{t,i}) = trend_k + v_k (b_i m_{t,k} + h_i f_{t,k,s(i)}) + noise_i e
//     I_{t,k}   = sum_i z_i r_{t,i} / sum_i z_i,   then  log z_i <- 0.98 (log z_i + log(1 + r_{t,i}) - log(1 + I_{t,k})) + 0.02 a_i
//
// e: unit normal, independent each time. v_k: the market's volatility times that of its regime. b_i near 1, h_i near 0.6 and
// the trends of sectors are drawn again in every regime. z_i are log-normal, so that a few stocks are large, as in
// capitalisation weights; they move with the price and slowly return to a_i, so that no stock becomes the whole index.
#include <algorithm>
#include <cmath>
#include <limits>

#include "sluice/error.hpp"
#include "sluice/simulate.hpp"
#include "uniform.hpp"

namespace sluice {

namespace {

constexpr double kCommon = 0.25;       // share of a market's variance that all markets have in common
constexpr double kSizeSpread = 1.0;    // of log z
constexpr double kSizeReturns = 0.02;  // of the way back, each period
constexpr double kBetaSpread = 0.25;   // of b
constexpr double kSectorPart = 0.6;    // of h
constexpr double kSectorSpread = 0.2;  // of h
constexpr double kSectorTrend = 0.08;  // a year, standard deviation
constexpr double kRegimeTrend = 0.10;  // a year, standard deviation
constexpr double kRegimeSpread = 0.3;  // of the log of a regime's volatility
constexpr double kNoise = 1.5;         // of a stock, in volatilities of its market
constexpr double kNoiseSpread = 0.25;  // of its log

std::vector<std::string> problems_of(const MarketOptions& options) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    std::vector<std::string> problems;
    const auto require = [&](bool kept, const char* rule) {
        if (!kept) {
            problems.emplace_back(rule);
        }
    };
    const auto positive = [](double v) { return v > 0.0 && v < kInfinity; };
    require(!options.stocks.empty() && std::ranges::find(options.stocks, std::size_t{0}) == options.stocks.end(),
            "stocks: give one number for each index, 1 or more");
    require(options.volatility.size() == options.stocks.size() && std::ranges::all_of(options.volatility, positive),
            "volatility: give one number for each index, above 0");
    require(options.yearly_trend.size() == options.stocks.size() &&
                std::ranges::all_of(options.yearly_trend, [](double v) { return std::isfinite(v); }),
            "yearly_trend: give one number for each index");
    require(options.sectors >= 1, "sectors: must be at least 1");
    require(options.regime_periods >= 1.0 && options.regime_periods < kInfinity, "regime_periods: must be 1 or more");
    require(positive(options.periods_per_year), "periods_per_year: must be above 0");
    return problems;
}

}  // namespace

MarketStream::MarketStream(const MarketOptions& options, std::uint64_t seed)
    : options_(options), normal_(seed), changes_(seed + 1) {
    if (auto problems = problems_of(options); !problems.empty()) {
        throw OptionError(std::move(problems));
    }
    regimes_.resize(options.stocks.size());
    for (std::size_t k = 0; k < options.stocks.size(); ++k) {
        for (std::size_t i = 0; i < options.stocks[k]; ++i) {
            const double log_size = normal_.next(0.0, kSizeSpread);
            all_.push_back({.market = k,
                            .sector = i % options.sectors,
                            .log_size = log_size,
                            .own_log_size = log_size,
                            .noise = kNoise * options.volatility[k] * std::exp(normal_.next(0.0, kNoiseSpread))});
        }
    }
}

void MarketStream::begin_regime() {
    for (std::size_t k = 0; k < regimes_.size(); ++k) {
        Regime& regime = regimes_[k];
        regime.volatility = options_.volatility[k] * std::exp(normal_.next(0.0, kRegimeSpread));
        regime.trend = (options_.yearly_trend[k] + normal_.next(0.0, kRegimeTrend)) / options_.periods_per_year;
        regime.sector_trends.resize(options_.sectors);
        for (double& trend : regime.sector_trends) {
            trend = normal_.next(0.0, kSectorTrend) / options_.periods_per_year;
        }
    }
    for (Stock& stock : all_) {
        stock.to_market = normal_.next(1.0, kBetaSpread);
        stock.to_sector = normal_.next(kSectorPart, kSectorSpread);
    }
}

bool MarketStream::next(std::span<double> stock_returns, std::span<double> index_returns) {
    const bool begins = first_ || uniform(changes_) < 1.0 / options_.regime_periods;
    if (begins) {
        begin_regime();
        first_ = false;
    }
    const double common = normal_.next();
    std::vector<double> market(indices());
    std::vector<double> sector(indices() * options_.sectors);
    for (std::size_t k = 0; k < indices(); ++k) {
        market[k] = (std::sqrt(kCommon) * common) + (std::sqrt(1.0 - kCommon) * normal_.next());
        for (std::size_t s = 0; s < options_.sectors; ++s) {
            sector[(k * options_.sectors) + s] = normal_.next();
        }
    }
    std::vector<double> sizes(indices(), 0.0);
    std::ranges::fill(index_returns, 0.0);
    for (std::size_t i = 0; i < all_.size(); ++i) {
        const Stock& stock = all_[i];
        const Regime& regime = regimes_[stock.market];
        const double moved = (stock.to_market * market[stock.market]) +
                             (stock.to_sector * sector[(stock.market * options_.sectors) + stock.sector]);
        const double r = std::expm1(regime.trend + regime.sector_trends[stock.sector] + (regime.volatility * moved) +
                                    normal_.next(0.0, stock.noise));
        stock_returns[i] = r;
        const double size = std::exp(stock.log_size);
        index_returns[stock.market] += size * r;
        sizes[stock.market] += size;
    }
    for (std::size_t k = 0; k < indices(); ++k) {
        index_returns[k] /= sizes[k];
    }
    for (std::size_t i = 0; i < all_.size(); ++i) {
        Stock& stock = all_[i];
        stock.log_size += std::log1p(stock_returns[i]) - std::log1p(index_returns[stock.market]);
        stock.log_size += kSizeReturns * (stock.own_log_size - stock.log_size);
    }
    return begins;
}

}  // namespace sluice
