// equal_strategy.cpp -- the same share of every stock that trades: the result without any choice.
#include <algorithm>

#include "strategies.hpp"

namespace sluice::portfolio {

namespace {

class EqualStrategy final : public Strategy {
  public:
    EqualStrategy(std::size_t stocks, std::size_t indices) : stocks_(stocks), indices_(indices) {}

    void learn(const Period& /*period*/) override {}

    Matrix weights(const Holdings& holdings) override {
        Matrix out(stocks_, indices_);
        const auto trading = std::ranges::count(holdings.tradable, 1);
        for (std::size_t k = 0; k < indices_; ++k) {
            for (std::size_t j = 0; j < stocks_; ++j) {
                out(j, k) = holdings.tradable[j] != 0 ? 1.0 / static_cast<double>(trading) : 0.0;
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
