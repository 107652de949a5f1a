// index_weights.hpp -- how much of each chosen name follows one index: constrained least squares on the weighted moments.
//
//     min_w  1/2 w'(C + (r/n) diag C) w - s m'w      bounds, sum and turnover as the options say
//
// The ridge shrinks the weights, so that a portfolio would move less than its index. s corrects that: with w1 the
// solution for s = 1, s = m'w1 / w1'C w1 is the slope of the index on that portfolio, and it is 1 for the solution with s.
#pragma once

#include <span>
#include <vector>

#include "return_moments.hpp"
#include "track_options.hpp"

namespace sluice::portfolio {

/// C + (r/n) diag C.
[[nodiscard]] Matrix with_ridge(const FewMoments& few, double shrinkage);

/// Weights of the stocks that `few` is about, for index k. `held`: what is held of them now; `budget`: what may be traded of
/// them, without a limit where it is empty. Where no weights meet all constraints, they are given up in this order: turnover, total.
[[nodiscard]] std::vector<double> index_weights(const FewMoments& few, std::size_t k, const TrackOptions& options,
                                                std::span<const double> held, std::optional<double> budget);

}  // namespace sluice::portfolio
