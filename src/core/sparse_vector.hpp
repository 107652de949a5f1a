// sparse_vector.hpp -- products of a sparse vector, given by its places and its values there.
#pragma once

#include <cassert>
#include <cstddef>
#include <span>

namespace sluice::core {

/// sum_i values[i] dense[places[i]], added in this order.
[[nodiscard]] inline double sparse_dot(std::span<const double> values, std::span<const std::size_t> places,
                                       const double* dense) {
    assert(values.size() == places.size());
    double sum = 0.0;
    for (std::size_t i = 0; i < places.size(); ++i) {
        sum += values[i] * dense[places[i]];
    }
    return sum;
}

/// values[i] = dense[places[i]]
inline void gather(const double* dense, std::span<const std::size_t> places, double* values) {
    for (std::size_t i = 0; i < places.size(); ++i) {
        values[i] = dense[places[i]];
    }
}

}  // namespace sluice::core
