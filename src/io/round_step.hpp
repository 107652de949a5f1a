// round_step.hpp -- the distance between the labels of an axis.
#pragma once

#include <cstdint>

namespace sluice::io {

/// 1, 2 or 5 times a power of ten, such that at most `most` steps fit into the range.
[[nodiscard]] constexpr std::uint64_t round_step(std::uint64_t range, std::uint64_t most = 8) {
    for (std::uint64_t decade = 1;; decade *= 10) {
        for (const std::uint64_t times : {1U, 2U, 5U}) {
            if (range / (times * decade) <= most) {
                return times * decade;
            }
        }
    }
}

}  // namespace sluice::io
