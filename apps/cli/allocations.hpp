// allocations.hpp -- how often operator new was called in this process.
#pragma once

#include <cstddef>

namespace sluice::cli {

[[nodiscard]] std::size_t allocations() noexcept;

}  // namespace sluice::cli
