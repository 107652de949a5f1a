// boa.hpp -- Bernstein online aggregation (Wintenberger 2017): the shares of a few experts in a forecast f = sum share_d f_d.
//
//     r_d     excess of the loss of expert d over that of f; for squares, by their gradient: 2 (f - y) (f_d - f)
//     V_d     <- g V_d + r_d^2
//     eta_d   = sqrt(log D / V_d): each expert has its own rate, which follows from its losses
//     R_d     <- g R_d + r_d (1 + eta_d r_d)
//     share_d ~ eta_d exp(-eta_d R_d)
//
// Without a discount (g = 1) the loss of f exceeds that of every expert d by O(sqrt(V_d log D)): boa_test.cpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

namespace sluice::tune {

/// The sums of the experts, and the shares that follow. One number for each expert.
struct Boa {
    std::span<double> regret;  // R
    std::span<double> square;  // V
    std::span<double> share;   // sum 1
};

/// One row. excess: r_d, in a unit in which ordinary losses are near 1.
inline void update_shares(Boa experts, std::span<const double> excess, double discount) {
    constexpr double kLeastSquare = 1e-6;  // in the first row a rate must be some number
    constexpr double kLeast = 50.0;        // an expert keeps exp(-50) of the largest share
    const std::size_t count = excess.size();
    const double log_count = std::log(static_cast<double>(count));
    double most = -std::numeric_limits<double>::max();
    for (std::size_t d = 0; d < count; ++d) {
        const double r = excess[d];
        double& square = experts.square[d];
        double& sum = experts.regret[d];
        square = (discount * square) + (r * r);
        const double rate = std::sqrt(log_count / std::max(square, kLeastSquare));
        sum = (discount * sum) + (r * (1.0 + (rate * r)));
        experts.share[d] = std::log(rate) - (rate * sum);
        most = std::max(most, experts.share[d]);
    }
    double total = 0.0;
    for (std::size_t d = 0; d < count; ++d) {
        experts.share[d] = std::exp(std::max(experts.share[d] - most, -kLeast));
        total += experts.share[d];
    }
    for (std::size_t d = 0; d < count; ++d) {
        experts.share[d] /= total;
    }
}

}  // namespace sluice::tune
