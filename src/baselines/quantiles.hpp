// quantiles.hpp -- quantiles of the normal and of the F distribution, for the limits of control charts.
#pragma once

namespace sluice::baselines {

/// p: in (0, 1).
[[nodiscard]] double normal_quantile(double p);
/// Of the F distribution with these degrees of freedom. p: in (0, 1).
[[nodiscard]] double f_quantile(double p, double numerator, double denominator);

}  // namespace sluice::baselines
