// caches.hpp -- the sizes of this machine's caches, and which of them holds an array.
#pragma once

#include <cstddef>
#include <string>

namespace sluice::bench {

/// Bytes, as one core sees them; 0 where the system does not say.
struct Caches {
    std::size_t L1 = 0;
    std::size_t L2 = 0;
    std::size_t L3 = 0;

    /// Of the first core, from Linux's /sys.
    [[nodiscard]] static Caches of_this_machine();

    /// "L1", "L2", "L3" or "memory": the smallest that holds that number of bytes. "?" where no size is known.
    [[nodiscard]] std::string holding(std::size_t bytes) const;
    [[nodiscard]] std::string text() const;  ///< "L1 32 kB, L2 1.0 MB, L3 32 MB"
};

/// "8.0 MB".
[[nodiscard]] std::string size_text(std::size_t bytes);

}  // namespace sluice::bench
