// small_market.hpp -- markets made on the spot: by hand, or stocks that follow an index of their own with noise.
#pragma once

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "market.hpp"
#include "sluice/simulate.hpp"
#include "strategy.hpp"

namespace sluice::test {

inline constexpr double kNoTrade = std::numeric_limits<double>::quiet_NaN();

/// Returns by period: the stocks', then the index's.
inline portfolio::Market market_by_hand(const std::vector<std::vector<double>>& stocks,
                                        const std::vector<double>& index) {
    portfolio::Market market;
    market.indices = {"I"};
    market.stock_returns = Matrix(stocks.front().size(), stocks.size());
    market.index_returns = Matrix(1, index.size());
    for (std::size_t j = 0; j < stocks.front().size(); ++j) {
        market.stocks.push_back("s" + std::to_string(j + 1));
    }
    for (std::size_t t = 0; t < index.size(); ++t) {
        market.dates.push_back("week " + std::to_string(t + 1));
        market.index_returns(0, t) = index[t];
        for (std::size_t j = 0; j < stocks[t].size(); ++j) {
            market.stock_returns(j, t) = stocks[t][j];
        }
    }
    return market;
}

/// Two indices, each the mean of its own half of the stocks; each stock has a beta near one and noise of its own.
inline portfolio::Market two_index_market(std::size_t stocks, std::size_t periods, std::uint64_t seed) {
    NormalSource normal(seed);
    portfolio::Market market;
    market.indices = {"A", "B"};
    market.stock_returns = Matrix(stocks, periods);
    market.index_returns = Matrix(2, periods);
    std::vector<double> beta;
    for (std::size_t j = 0; j < stocks; ++j) {
        market.stocks.push_back("s" + std::to_string(j + 1));
        beta.push_back(normal.next(1.0, 0.2));
    }
    for (std::size_t t = 0; t < periods; ++t) {
        market.dates.push_back("week " + std::to_string(t + 1));
        for (std::size_t k = 0; k < 2; ++k) {
            const double factor = normal.next(0.002, 0.02);
            const std::size_t half = stocks / 2;
            for (std::size_t j = k * half; j < (k + 1) * half; ++j) {
                market.stock_returns(j, t) = (beta[j] * factor) + normal.next(0.0, 0.02);
                market.index_returns(k, t) += market.stock_returns(j, t) / static_cast<double>(half);
            }
        }
    }
    return market;
}

/// Always wants the same weights of the stocks that can be bought.
class FixedWeights final : public portfolio::Strategy {
  public:
    explicit FixedWeights(std::vector<double> weights) : weights_(std::move(weights)) {}
    void learn(const portfolio::Period& /*period*/) override { ++learnt; }
    Matrix weights(const portfolio::Holdings& holdings) override {
        ++asked;
        Matrix out(weights_.size(), holdings.held.cols());
        for (std::size_t k = 0; k < out.cols(); ++k) {
            for (std::size_t j = 0; j < weights_.size(); ++j) {
                out(j, k) = holdings.tradable[j] != 0 ? weights_[j] : 0.0;
            }
        }
        return out;
    }
    int learnt = 0;
    int asked = 0;

  private:
    std::vector<double> weights_;
};

}  // namespace sluice::test
