// gram.cpp -- what every engine can do by its products.
#include "gram.hpp"

namespace sluice::core {

void Gram::inner_products(std::span<const std::span<const std::size_t>> supports,
                          std::span<const std::span<const double>> coefficients, std::span<const std::size_t> selected,
                          std::span<double> A) const {
    const std::size_t R = supports.size();
    at_selected_.resize(selected.size());
    for (std::size_t r = 0; r < R; ++r) {
        multiply_at(supports[r], coefficients[r], selected, at_selected_);
        for (std::size_t s = 0; s <= r; ++s) {
            double sum = 0.0;
            std::size_t place = 0;  // of a variable among the selected
            for (std::size_t i = 0; i < supports[s].size(); ++i) {
                while (selected[place] != supports[s][i]) {
                    ++place;
                }
                sum += coefficients[s][i] * at_selected_[place];
            }
            A[(r * R) + s] = sum;
            A[(s * R) + r] = sum;
        }
    }
}

}  // namespace sluice::core
