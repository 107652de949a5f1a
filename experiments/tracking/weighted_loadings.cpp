#include "experiments/tracking/weighted_loadings.hpp"

#include <memory>

#include "experiments/common/paper_market.hpp"
#include "sluice/model.hpp"

namespace sluice::experiments {

namespace {

StreamOptions options() {
    constexpr double kForgetting = 0.99;
    StreamOptions out = StreamOptions::paper();
    out.components = 1;
    out.keep = {kHeld};
    out.forgetting = kForgetting;
    out.center = false;
    out.balance = Balance::raw;
    return out;
}

class WeightedLoadings final : public portfolio::Strategy {
  public:
    WeightedLoadings(std::size_t stocks, std::size_t indices) : model_(stocks, indices, options()) {}
    void learn(const portfolio::Period& period) override { (void)model_.learn(period.stocks, period.targets); }
    Matrix weights(const portfolio::Holdings& /*holdings*/) override { return model_.coefficients(); }

  private:
    StreamModel model_;
};

}  // namespace

portfolio::StrategyPointer weighted_loadings_strategy(std::size_t stocks, std::size_t indices) {
    return std::make_unique<WeightedLoadings>(stocks, indices);
}

}  // namespace sluice::experiments
