// allocations.hpp -- how often operator new was called in this process.
#pragma once

#include <cstddef>

namespace sluice::bench {

[[nodiscard]] std::size_t allocations() noexcept;

}  // namespace sluice::bench
