#include "experiments/tracking/random_names.hpp"

#include <memory>
#include <utility>

namespace sluice::experiments {

namespace {

class AnyNames final : public portfolio::Strategy {
  public:
    AnyNames(std::vector<std::size_t> names, std::size_t stocks, std::size_t indices)
        : names_(std::move(names)), weights_(stocks, indices) {}

    void learn(const portfolio::Period& period) override {
        double s = 0.0;
        for (const std::size_t i : names_) {
            s += period.stocks[i];
        }
        for (std::size_t k = 0; k < weights_.cols(); ++k) {
            for (const std::size_t i : names_) {
                weights_(i, k) = s == 0.0 ? 0.0 : period.targets[k] / s;
            }
        }
    }

    Matrix weights(const portfolio::Holdings& /*holdings*/) override { return weights_; }

  private:
    std::vector<std::size_t> names_;
    Matrix weights_;
};

}  // namespace

portfolio::StrategyPointer random_names_strategy(std::vector<std::size_t> names, std::size_t stocks,
                                                 std::size_t indices) {
    return std::make_unique<AnyNames>(std::move(names), stocks, indices);
}

}  // namespace sluice::experiments
