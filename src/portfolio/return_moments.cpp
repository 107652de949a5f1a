#include "return_moments.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace sluice::portfolio {

ReturnMoments::ReturnMoments(std::size_t stocks, std::size_t indices, double forgetting)
    : forgetting_(forgetting),
      C_(stocks, stocks),
      M_(stocks, indices),
      v_(indices, 0.0),
      traded_(stocks, 0.0),
      x_(stocks, 0.0) {}

void ReturnMoments::add(std::span<const double> stocks, std::span<const double> targets) {
    assert(stocks.size() == x_.size() && targets.size() == v_.size());
    const std::size_t p = x_.size();
    const double lambda = forgetting_;
    for (std::size_t j = 0; j < p; ++j) {
        const bool traded = !std::isnan(stocks[j]);
        x_[j] = traded ? stocks[j] : 0.0;
        traded_[j] = (lambda * traded_[j]) + (traded ? 1.0 : 0.0);
    }
    weight_ = (lambda * weight_) + 1.0;
    for (std::size_t j = 0; j < p; ++j) {
        const auto column = C_.column(j);
        const double xj = x_[j];
        for (std::size_t i = j; i < p; ++i) {
            column[i] = (lambda * column[i]) + (xj * x_[i]);
        }
    }
    for (std::size_t k = 0; k < v_.size(); ++k) {
        const auto column = M_.column(k);
        for (std::size_t j = 0; j < p; ++j) {
            column[j] = (lambda * column[j]) + (x_[j] * targets[k]);
        }
        v_[k] = (lambda * v_[k]) + (targets[k] * targets[k]);
    }
}

FewMoments ReturnMoments::of(std::span<const std::size_t> stocks) const {
    const std::size_t n = stocks.size();
    const double over = weight_ > 0.0 ? 1.0 / weight_ : 0.0;
    FewMoments few{.C = Matrix(n, n), .M = Matrix(n, v_.size()), .v = v_, .weight = weight_};
    for (std::size_t b = 0; b < n; ++b) {
        for (std::size_t a = 0; a < n; ++a) {
            few.C(a, b) = over * C_(std::max(stocks[a], stocks[b]), std::min(stocks[a], stocks[b]));
        }
        for (std::size_t k = 0; k < v_.size(); ++k) {
            few.M(b, k) = over * M_(stocks[b], k);
        }
    }
    for (double& v : few.v) {
        v *= over;
    }
    return few;
}

double ReturnMoments::traded_share(std::size_t stock) const {
    return weight_ > 0.0 ? traded_[stock] / weight_ : 0.0;
}

}  // namespace sluice::portfolio
