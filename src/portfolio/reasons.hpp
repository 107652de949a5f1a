// reasons.hpp -- why each name is held: how it moves with its index, and the error of the portfolio without it.
//
//     beta         slope of the stock on the index, through the origin
//     error        1 - m_S' G_S^-1 m_S / v of the index's names, as at the time of the choice (name_search.hpp)
//     error without the same with the name left out: the difference is what the name contributes
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "walk_forward.hpp"

namespace sluice::portfolio {

struct Reason {
    std::size_t index = 0;
    std::size_t stock = 0;
    double weight = 0.0;
    std::optional<std::size_t> since = std::nullopt;  ///< period from which it is held without a break; none: it is new
    double share_of_time = 0.0;                       ///< of the scored periods
    double beta = 0.0;
    double correlation = 0.0;
    double error = 0.0;
    double error_without = 0.0;
};

/// Of all weights that the walk set after its last period, by index and stock.
[[nodiscard]] std::vector<Reason> reasons(const Walk& walk, const Market& market, const TrackOptions& options);

}  // namespace sluice::portfolio
