// share_of_names.hpp -- a budget of names shared evenly among the outputs; the first ones take what is left over.
#pragma once

#include <cstddef>

namespace sluice::baselines {

inline std::size_t share_of_names(std::size_t names, std::size_t outputs, std::size_t output) {
    return (names / outputs) + (output < names % outputs ? 1 : 0);
}

}  // namespace sluice::baselines
