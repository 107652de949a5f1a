// refit_selected.hpp -- least squares on a few selected inputs, from correlations.
//
//     b_S = (R_SS + kappa I)^-1 r_S
#pragma once

#include <cstddef>
#include <span>

#include "correlation_columns.hpp"

namespace sluice::baselines {

/// Writes b at the places S; the others stay as they are. kappa: above 0.
void refit_selected(const WeightedMoments& moments, CorrelationColumns& columns, std::span<const std::size_t> S,
                    double kappa, std::span<const double> r, std::span<double> b);

}  // namespace sluice::baselines
