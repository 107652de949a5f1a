// window_strategy.cpp -- the comparison of section 4.2: names by LARS or lasso on the last `window` periods, through the origin, and
// weights by least squares on them. Each index has an equal part of the names.
#include "strategies.hpp"
#include "traded_only.hpp"
#include "window_lars.hpp"

namespace sluice::portfolio {

namespace {

class WindowStrategy final : public Strategy {
  public:
    WindowStrategy(baselines::LarsVariant variant, std::size_t stocks, std::size_t indices, const TrackOptions& options)
        : lars_(stocks, indices,
                {.window = options.window, .names = options.names, .center = false, .variant = variant}) {}

    void learn(const Period& period) override { lars_.learn(without_gaps(period.stocks), period.targets); }

    Matrix weights(const Holdings& holdings) override { return traded_only(lars_.coefficients(), holdings); }

  private:
    baselines::WindowLars lars_;
};

}  // namespace

StrategyPointer window_strategy(WindowKind kind, std::size_t stocks, std::size_t indices, const TrackOptions& options) {
    const auto variant = kind == WindowKind::lasso ? baselines::LarsVariant::lasso : baselines::LarsVariant::lar;
    return std::make_unique<WindowStrategy>(variant, stocks, indices, options);
}

}  // namespace sluice::portfolio
