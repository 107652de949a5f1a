// as_index.hpp -- sizes of the standard library as those of Eigen.
#pragma once

#include <Eigen/Core>
#include <cstddef>

namespace sluice::baselines {

inline Eigen::Index as_index(std::size_t n) {
    return static_cast<Eigen::Index>(n);
}

}  // namespace sluice::baselines
