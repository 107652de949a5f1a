#include "walk_forward.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sluice/error.hpp"

namespace sluice::portfolio {

namespace {

constexpr double kNothingLeft = 1e-9;  // of a portfolio's value

class Walker {
  public:
    Walker(const Market& market, Strategy& strategy, const TrackOptions& options, Keep keep)
        : market_(market),
          strategy_(strategy),
          options_(options),
          keep_(keep),
          stocks_(market.stocks.size()),
          indices_(market.indices.size()),
          targets_(indices_, 0.0),
          held_(stocks_, indices_),
          sold_(indices_, 0.0),
          tradable_(stocks_, 0),
          in_use_(stocks_, 0),
          last_trade_(stocks_, 0) {
        for (std::size_t t = 0; t < market.stock_returns.cols(); ++t) {
            for (std::size_t j = 0; j < stocks_; ++j) {
                last_trade_[j] = std::isnan(market.stock_returns(j, t)) ? last_trade_[j] : t;
            }
        }
        const std::size_t rows = market.index_returns.cols() - options.warmup;
        walk_.first = options.warmup;
        for (Matrix* table :
             {&walk_.gross, &walk_.net, &walk_.traded, &walk_.names, &walk_.effective, &walk_.invested}) {
            *table = Matrix(rows, indices_);
        }
        walk_.all_names.assign(rows, 0);
        walk_.entered.assign(rows, 0);
    }

    Walk run(Timing timing) {
        const std::size_t periods = market_.index_returns.cols();
        for (std::size_t t = 0; t < periods; ++t) {
            if (timing == Timing::in_sample) {
                learn(t);
                if (t >= walk_.first) {
                    rebalance(t);
                    describe(t);
                    earn(t);
                }
                continue;
            }
            if (t >= walk_.first) {
                earn(t);
            }
            learn(t);
            if (t + 1 >= walk_.first && t + 1 < periods) {
                rebalance(t + 1);
                describe(t + 1);
            }
        }
        if (keep_ == Keep::holdings_too) {
            walk_.next = strategy_.weights({.held = held_, .tradable = tradable_});
        }
        return std::move(walk_);
    }

  private:
    void learn(std::size_t t) {
        const auto stocks = market_.stock_returns.column(t);
        for (std::size_t k = 0; k < indices_; ++k) {
            targets_[k] = target_return(market_, k, t, options_);
        }
        strategy_.learn({.stocks = stocks, .targets = targets_});
        for (std::size_t j = 0; j < stocks_; ++j) {
            tradable_[j] = std::isnan(stocks[j]) ? 0 : 1;
        }
    }

    // Period t: the holdings earn and drift, and stocks that no longer trade are sold.
    void earn(std::size_t t) {
        const std::size_t row = t - walk_.first;
        const auto returns = market_.stock_returns.column(t);
        for (std::size_t k = 0; k < indices_; ++k) {
            const auto w = held_.column(k);
            double g = 0.0;
            for (std::size_t j = 0; j < stocks_; ++j) {
                g += w[j] != 0.0 && !std::isnan(returns[j]) ? w[j] * returns[j] : 0.0;
            }
            g = std::max(g, -1.0);
            walk_.gross(row, k) = g;
            const double cost = std::min(1.0, options_.costs * kBasisPoint * walk_.traded(row, k));
            walk_.net(row, k) = ((1.0 - cost) * (1.0 + g)) - 1.0;
            sold_[k] = 0.0;
            if (1.0 + g < kNothingLeft) {
                std::ranges::fill(w, 0.0);
                walk_.notes.push_back(
                    fmt::format("{}: the portfolio for {} lost everything, and continues with new money",
                                market_.dates[t], market_.indices[k]));
                continue;
            }
            for (std::size_t j = 0; j < stocks_; ++j) {
                if (w[j] == 0.0) {
                    continue;
                }
                if (std::isnan(returns[j]) && t < last_trade_[j]) {
                    say_stuck(t, j, k);
                    w[j] /= 1.0 + g;
                } else if (std::isnan(returns[j])) {
                    walk_.notes.push_back(
                        fmt::format("{}: {} stopped trading while held for {} and was sold at its last price",
                                    market_.dates[t], market_.stocks[j], market_.indices[k]));
                    sold_[k] += std::abs(w[j]) / (1.0 + g);
                    w[j] = 0.0;
                } else {
                    w[j] *= (1.0 + returns[j]) / (1.0 + g);
                }
            }
        }
    }

    void say_stuck(std::size_t t, std::size_t j, std::size_t k) {
        if (!std::isnan(market_.stock_returns(j, t - 1))) {  // noted once for each gap
            walk_.notes.push_back(fmt::format("{}: {} did not trade while held for {}: it stays until it can be sold",
                                              market_.dates[t], market_.stocks[j], market_.indices[k]));
        }
    }

    [[nodiscard]] bool due(std::size_t next) const {
        const std::size_t since = next - walk_.first;
        return options_.rebalance.kind != Rebalance::Kind::nth || since % options_.rebalance.periods == 0;
    }

    // Whether some weight is far enough from its target for a trade. Then all portfolios trade: a name that moves from one to
    // another would otherwise be in both.
    [[nodiscard]] bool outside_band(const Matrix& wanted) const {
        for (std::size_t k = 0; k < indices_; ++k) {
            for (std::size_t j = 0; j < stocks_; ++j) {
                if (tradable_[j] != 0 && std::abs(wanted(j, k) - held_(j, k)) > options_.rebalance.band) {
                    return true;
                }
            }
        }
        return false;
    }

    void rebalance(std::size_t next) {
        const std::size_t row = next - walk_.first;
        for (std::size_t k = 0; k < indices_; ++k) {
            walk_.traded(row, k) = sold_[k];
        }
        if (!due(next)) {
            return;
        }
        const Matrix wanted = strategy_.weights({.held = held_, .tradable = tradable_});
        if (options_.rebalance.kind == Rebalance::Kind::band && row > 0 && !outside_band(wanted)) {
            return;
        }
        for (std::size_t k = 0; k < indices_; ++k) {
            const double room = room_for(wanted, k);
            for (std::size_t j = 0; j < stocks_; ++j) {
                if (tradable_[j] != 0) {
                    walk_.traded(row, k) += std::abs((room * wanted(j, k)) - held_(j, k));
                    held_(j, k) = room * wanted(j, k);
                }
            }
        }
    }

    // 1, or less where stocks that cannot be sold leave less than the wanted weights need.
    [[nodiscard]] double room_for(const Matrix& wanted, std::size_t k) const {
        double stuck = 0.0;
        double needed = 0.0;
        for (std::size_t j = 0; j < stocks_; ++j) {
            (tradable_[j] != 0 ? needed : stuck) += tradable_[j] != 0 ? wanted(j, k) : held_(j, k);
        }
        const bool too_much = options_.long_only && stuck > 0.0 && needed > 0.0 && stuck + needed > 1.0;
        return too_much ? std::max(0.0, 1.0 - stuck) / needed : 1.0;
    }

    // The holdings at the beginning of period `next`.
    void describe(std::size_t next) {
        const std::size_t row = next - walk_.first;
        Flags now(stocks_, 0);
        for (std::size_t k = 0; k < indices_; ++k) {
            double absolute = 0.0;
            double square = 0.0;
            for (std::size_t j = 0; j < stocks_; ++j) {
                const double w = held_(j, k);
                if (w == 0.0) {
                    continue;
                }
                now[j] = 1;
                walk_.names(row, k) += 1.0;
                walk_.invested(row, k) += w;
                absolute += std::abs(w);
                square += w * w;
                if (keep_ == Keep::holdings_too) {
                    walk_.holdings.push_back({.period = next, .index = k, .stock = j, .weight = w});
                }
            }
            walk_.effective(row, k) = square > 0.0 ? absolute * absolute / square : 0.0;
        }
        for (std::size_t j = 0; j < stocks_; ++j) {
            walk_.all_names[row] += now[j] != 0 ? 1U : 0U;
            walk_.entered[row] += row > 0 && now[j] != 0 && in_use_[j] == 0 ? 1U : 0U;
        }
        in_use_ = std::move(now);
    }

    const Market& market_;
    Strategy& strategy_;
    const TrackOptions& options_;
    Keep keep_;
    std::size_t stocks_;
    std::size_t indices_;
    std::vector<double> targets_;
    Matrix held_;               // shares of each portfolio
    std::vector<double> sold_;  // of each portfolio: stocks that stopped trading in the last period
    Flags tradable_;
    Flags in_use_;                         // held in any portfolio
    std::vector<std::size_t> last_trade_;  // for accounting only: whether a stock that does not trade ever will again
    Walk walk_;
};

}  // namespace

double target_return(const Market& market, std::size_t index, std::size_t period, const TrackOptions& options) {
    return market.index_returns(index, period) + (options.enhance / market.periods_per_year);
}

Walk walk_forward(const Market& market, Strategy& strategy, const TrackOptions& options, Keep keep, Timing timing) {
    auto problems = options.problems(market.stocks.size(), market.indices.size(), market.index_returns.cols());
    if (!problems.empty()) {
        throw OptionError(std::move(problems));
    }
    return Walker(market, strategy, options, keep).run(timing);
}

}  // namespace sluice::portfolio
