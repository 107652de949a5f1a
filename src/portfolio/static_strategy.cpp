// static_strategy.cpp -- Algorithm 1 once, on the periods before weights are first needed: one component for each index, with
// an equal part of the names, as in figure 5 for one index.
#include <algorithm>

#include "sluice/fit.hpp"
#include "strategies.hpp"
#include "traded_only.hpp"

namespace sluice::portfolio {

namespace {

class StaticStrategy final : public Strategy {
  public:
    StaticStrategy(std::size_t stocks, std::size_t indices, std::size_t names)
        : stocks_(stocks), indices_(indices), names_(names) {}

    void learn(const Period& period) override {
        if (weights_.rows() == 0) {
            x_.insert(x_.end(), period.stocks.begin(), period.stocks.end());
            y_.insert(y_.end(), period.targets.begin(), period.targets.end());
        }
    }

    Matrix weights(const Holdings& holdings) override {
        if (weights_.rows() == 0) {
            fit_once();
        }
        return traded_only(weights_, holdings);
    }

  private:
    void fit_once() {
        StreamOptions options;
        options.components = 1;
        options.forgetting = 1.0;
        options.center = false;
        options.deflation = Deflation::project;
        weights_ = Matrix(stocks_, indices_);
        const std::size_t rows = x_.size() / stocks_;
        for (std::size_t k = 0; k < indices_; ++k) {
            const std::size_t part = (names_ / indices_) + (k < names_ % indices_ ? 1 : 0);
            options.keep = {part};
            std::vector<double> y(rows);
            for (std::size_t t = 0; t < rows; ++t) {
                y[t] = y_[(t * indices_) + k];
            }
            const Fit one = fit(Method::sparse_bridge, Rows(x_, stocks_), Rows(y, 1), options);
            std::ranges::copy(one.coefficients.column(0), weights_.column(k).begin());
        }
        x_ = {};
        y_ = {};
    }

    std::size_t stocks_;
    std::size_t indices_;
    std::size_t names_;
    std::vector<double> x_;
    std::vector<double> y_;
    Matrix weights_;
};

}  // namespace

StrategyPointer static_strategy(std::size_t stocks, std::size_t indices, const TrackOptions& options) {
    return std::make_unique<StaticStrategy>(stocks, indices, options.names);
}

}  // namespace sluice::portfolio
