// shooting.hpp -- the lasso by coordinate descent ("shooting", Fu 1998; Friedman et al. 2007), from correlations.
//
//     min_b  1/2 b'Rb - b'r + gamma |b|_1
//     b_j <- soft(c_j + b_j, gamma),   c = r - R b,   soft(z, g) = sign(z) max(|z| - g, 0)            R_jj = 1
//
// until no coefficient moves by more than `tolerance`. All inputs are visited first, then those in use until they stand
// still, then all again. Where inputs are nearly copies this converges slowly: after `most_sweeps` it stops where it is,
// and the next row continues from there.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "correlation_columns.hpp"

namespace sluice::baselines {

struct LassoPoint {
    std::vector<double> b;  // coefficients of all inputs
    std::vector<double> c;  // r - R b
    double gamma = 0.0;

    [[nodiscard]] std::size_t names() const;
    /// What is not explained of the output's sum of squares, which is 1: 1 - 2 b'r + b'Rb.
    [[nodiscard]] double residual(std::span<const double> r) const;
};

struct ShootingOptions {
    double tolerance = 1e-6;
    std::size_t most_sweeps = 200;
};

/// point.c <- r - R b, for correlations that have changed.
void refresh_correlations(const WeightedMoments& moments, CorrelationColumns& columns, std::span<const double> r,
                          LassoPoint& point);
/// Moves point.b, with point.c, to the minimum at point.gamma. Inputs that do not vary get 0.
void shoot(const WeightedMoments& moments, CorrelationColumns& columns, const ShootingOptions& options,
           LassoPoint& point);

}  // namespace sluice::baselines
