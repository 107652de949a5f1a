// gram.cpp -- inner products by the products that every engine has.
#include "gram.hpp"

namespace sluice::core {

void Gram::multiply_each_at(std::span<const std::size_t> support, std::span<const double> coefficient,
                            std::span<const std::size_t> inputs, double* out, std::size_t out_stride) const {
    for (std::size_t s = 0; s < support.size(); ++s) {
        multiply_at(support.subspan(s, 1), coefficient.subspan(s, 1), inputs, {out + (s * out_stride), inputs.size()});
    }
}

void Gram::inner_products(std::span<const std::span<const std::size_t>> supports,
                          std::span<const std::span<const double>> coefficients,
                          std::span<const std::size_t> /*selected*/, std::span<double> A) const {
    const std::size_t R = supports.size();
    for (std::size_t r = 0; r < R; ++r) {
        for (std::size_t s = 0; s <= r; ++s) {
            products_.resize(supports[s].size());
            multiply_at(supports[r], coefficients[r], supports[s], products_);
            double sum = 0.0;
            for (std::size_t i = 0; i < products_.size(); ++i) {
                sum += coefficients[s][i] * products_[i];
            }
            A[(r * R) + s] = sum;
            A[(s * R) + r] = sum;
        }
    }
}

}  // namespace sluice::core
