// paper_strategy.cpp -- section 4.2 as printed, but without using the future: what was learnt up to t earns the return of t + 1.
#include <algorithm>

#include "sluice/model.hpp"
#include "strategies.hpp"
#include "traded_only.hpp"

namespace sluice::portfolio {

namespace {

StreamOptions literal(std::size_t names, std::size_t stocks) {
    constexpr double kForgetting = 0.99;
    StreamOptions options = StreamOptions::paper();
    options.components = 1;
    options.keep = {std::min(names, stocks)};
    options.forgetting = kForgetting;
    options.center = false;
    options.balance = Balance::raw;
    options.loadings = Loadings::instant;
    return options;
}

class PaperStrategy final : public Strategy {
  public:
    PaperStrategy(std::size_t stocks, std::size_t indices, std::size_t names)
        : model_(stocks, indices, literal(names, stocks)) {}

    void learn(const Period& period) override { model_.learn(period.stocks, period.targets); }

    Matrix weights(const Holdings& holdings) override { return traded_only(model_.coefficients(), holdings); }

  private:
    StreamModel model_;
};

}  // namespace

StrategyPointer paper_strategy(std::size_t stocks, std::size_t indices, const TrackOptions& options) {
    return std::make_unique<PaperStrategy>(stocks, indices, options.names);
}

}  // namespace sluice::portfolio
