// equal_strategy.cpp -- the same share of every stock that trades: what no skill gives.
#include <algorithm>

#include "strategies.hpp"

namespace sluice::portfolio {

namespace {

class EqualStrategy final : public Strategy {
  public:
    EqualStrategy(std::size_t stocks, std::size_t indices) : stocks_(stocks), indices_(indices) {}

    void learn(const Period& /*period*/) override {}

    Matrix weights(const Standing& standing) override {
        Matrix out(stocks_, indices_);
        const auto trading = std::ranges::count(standing.tradable, true);
        for (std::size_t k = 0; k < indices_; ++k) {
            for (std::size_t j = 0; j < stocks_; ++j) {
                out(j, k) = standing.tradable[j] ? 1.0 / static_cast<double>(trading) : 0.0;
            }
        }
        return out;
    }

  private:
    std::size_t stocks_;
    std::size_t indices_;
};

}  // namespace

StrategyPointer equal_strategy(std::size_t stocks, std::size_t indices) {
    return std::make_unique<EqualStrategy>(stocks, indices);
}

}  // namespace sluice::portfolio
