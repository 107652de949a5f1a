// literal_portfolio.hpp -- section 4.2 to the letter, looked at in two ways: as the paper does, in-sample, and walked forward.
//
//     s_t = x_t u_t,   W_t = s_t y_t / s_t^2                                       eq. (20)
//     in-sample   x_t u_t W_t = y_t, whatever u_t is: an identity, not a result
//     forward     x_{t+1} u_t W_t
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "experiments/common/paper_market.hpp"

namespace sluice::experiments {

struct LiteralRun {
    std::vector<std::vector<double>> in_sample;  ///< returns by index: weights of a period earn that same period
    std::vector<std::vector<double>>
        forward;  ///< returns by index, from the second period on: weights earn the next one
    std::vector<std::vector<std::size_t>> names;  ///< held after each period, ascending
    std::vector<double> exposure;                 ///< after each period: sum of |weights|, largest of the indices
    double farthest = 0.0;                        ///< largest distance of an in-sample return from its target
};

/// iSB-PLS as in the paper: R = 1, ten names, forgetting 0.99, through the origin, nothing scaled, W from the last row.
[[nodiscard]] LiteralRun literal_run(const PaperMarket& market);

/// The same W on ten names drawn at random once and weighed alike: no selection, nothing learnt.
[[nodiscard]] LiteralRun any_names_run(const PaperMarket& market, std::uint64_t seed);

}  // namespace sluice::experiments
