// rls_strategy.cpp -- recursive least squares with forgetting on a few given stocks, one set of weights for each index.
#include <algorithm>
#include <cmath>

#include "recursive_least_squares.hpp"
#include "strategies.hpp"
#include "traded_only.hpp"

namespace sluice::portfolio {

namespace {

// As if one week of usual returns (deviation 3 %) had shown no relation.
constexpr double kRegularisation = 1e-3;

class RlsStrategy : public Strategy {
  public:
    RlsStrategy(std::vector<std::size_t> names, std::size_t stocks, std::size_t indices, double forgetting)
        : names_(std::move(names)),
          stocks_(stocks),
          x_(names_.size()),
          squares_(names_.size(), indices,
                   {.forgetting = forgetting, .regularisation = kRegularisation, .intercept = false}) {}

    void learn(const Period& period) override {
        for (std::size_t a = 0; a < names_.size(); ++a) {
            const double r = period.stocks[names_[a]];
            x_[a] = std::isnan(r) ? 0.0 : r;
        }
        squares_.learn(x_, period.targets);
    }

    Matrix weights(const Holdings& holdings) override {
        const Matrix few = squares_.coefficients();
        Matrix out(stocks_, few.cols());
        for (std::size_t k = 0; k < few.cols(); ++k) {
            for (std::size_t a = 0; a < names_.size(); ++a) {
                out(names_[a], k) = few(a, k);
            }
        }
        return traded_only(std::move(out), holdings);
    }

  private:
    std::vector<std::size_t> names_;
    std::size_t stocks_;
    std::vector<double> x_;
    baselines::RecursiveLeastSquares squares_;
};

// The names are chosen when weights are first needed: for each index in turn the stock with the highest correlation to it.
class RlsOnClosest final : public Strategy {
  public:
    RlsOnClosest(std::size_t stocks, std::size_t indices, const TrackOptions& options)
        : stocks_(stocks), indices_(indices), names_(options.names), forgetting_(options.model.forgetting) {}

    void learn(const Period& period) override {
        if (chosen_) {
            chosen_->learn(period);
            return;
        }
        x_.emplace_back(period.stocks.begin(), period.stocks.end());
        y_.emplace_back(period.targets.begin(), period.targets.end());
    }

    Matrix weights(const Holdings& holdings) override {
        if (!chosen_) {
            chosen_ = std::make_unique<RlsStrategy>(closest(holdings), stocks_, indices_, forgetting_);
            for (std::size_t t = 0; t < x_.size(); ++t) {
                chosen_->learn({.stocks = x_[t], .targets = y_[t]});
            }
            x_.clear();
            y_.clear();
        }
        return chosen_->weights(holdings);
    }

  private:
    [[nodiscard]] std::vector<std::size_t> closest(const Holdings& holdings) const {
        std::vector<bool> taken(stocks_, false);
        std::vector<std::size_t> names;
        for (std::size_t turn = 0; turn < names_; ++turn) {
            const std::size_t k = turn % indices_;
            double most = -2.0;
            std::size_t best = stocks_;
            for (std::size_t j = 0; j < stocks_; ++j) {
                const double r = taken[j] || holdings.tradable[j] == 0 ? -2.0 : correlation(j, k);
                if (r > most) {
                    most = r;
                    best = j;
                }
            }
            if (best < stocks_) {
                taken[best] = true;
                names.push_back(best);
            }
        }
        return names;
    }

    [[nodiscard]] double correlation(std::size_t j, std::size_t k) const {  // through the origin
        double xy = 0.0;
        double xx = 0.0;
        double yy = 0.0;
        for (std::size_t t = 0; t < x_.size(); ++t) {
            const double x = std::isnan(x_[t][j]) ? 0.0 : x_[t][j];
            xy += x * y_[t][k];
            xx += x * x;
            yy += y_[t][k] * y_[t][k];
        }
        return xx > 0.0 && yy > 0.0 ? xy / std::sqrt(xx * yy) : 0.0;
    }

    std::size_t stocks_;
    std::size_t indices_;
    std::size_t names_;
    double forgetting_;
    std::vector<std::vector<double>> x_;
    std::vector<std::vector<double>> y_;
    StrategyPointer chosen_;
};

}  // namespace

StrategyPointer rls_strategy(std::vector<std::size_t> names, std::size_t stocks, std::size_t indices,
                             double forgetting) {
    return std::make_unique<RlsStrategy>(std::move(names), stocks, indices, forgetting);
}

StrategyPointer rls_on_closest_strategy(std::size_t stocks, std::size_t indices, const TrackOptions& options) {
    return std::make_unique<RlsOnClosest>(stocks, indices, options);
}

}  // namespace sluice::portfolio
