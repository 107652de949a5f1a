// static_strategy.cpp -- Algorithm 1 once, on what was learnt before weights were first asked for.
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

    Matrix weights(const Standing& standing) override {
        if (weights_.rows() == 0) {
            fit_once();
        }
        return traded_only(weights_, standing);
    }

  private:
    void fit_once() {
        StreamOptions options;
        options.components = std::min(indices_, stocks_);
        options.keep = {std::max<std::size_t>(1, names_ / indices_)};
        options.names = names_;
        options.forgetting = 1.0;
        options.center = false;
        options.deflation = Deflation::project;
        weights_ = fit(Method::sparse_bridge, Rows(x_, stocks_), Rows(y_, indices_), options).coefficients;
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
