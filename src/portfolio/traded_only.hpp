// traded_only.hpp -- for strategies whose weights are regression coefficients: gaps filled, untraded stocks removed.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "strategy.hpp"

namespace sluice::portfolio {

/// A stock that did not trade counts as one that did not move.
[[nodiscard]] inline std::vector<double> without_gaps(std::span<const double> returns) {
    std::vector<double> out(returns.begin(), returns.end());
    std::ranges::replace_if(
        out, [](double r) { return std::isnan(r); }, 0.0);
    return out;
}

/// Coefficients as weights: zero where a stock cannot be bought, and where there is no number.
[[nodiscard]] inline Matrix traded_only(Matrix coefficients, const Holdings& holdings) {
    for (std::size_t k = 0; k < coefficients.cols(); ++k) {
        for (std::size_t j = 0; j < coefficients.rows(); ++j) {
            if (holdings.tradable[j] == 0 || !std::isfinite(coefficients(j, k))) {
                coefficients(j, k) = 0.0;
            }
        }
    }
    return coefficients;
}

}  // namespace sluice::portfolio
