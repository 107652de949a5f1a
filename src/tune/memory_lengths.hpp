// memory_lengths.hpp -- the forgetting factors of the memories that are kept side by side.
#pragma once

#include <cstddef>
#include <vector>

#include "sluice/options.hpp"

namespace sluice::tune {

/// The longest first. One alone, the given, where forgetting is not tuned.
[[nodiscard]] std::vector<double> memory_lengths(std::size_t inputs, std::size_t outputs, const StreamOptions& options,
                                                 bool tuned);

}  // namespace sluice::tune
