#include "host.hpp"

#include <algorithm>

namespace sluice::serve {

void LatencyCounts::add(double seconds) noexcept {
    const auto at = std::ranges::lower_bound(kBounds, seconds) - kBounds.begin();
    ++counts_[static_cast<std::size_t>(at)];
    nanoseconds_ += static_cast<std::uint64_t>(seconds * 1e9);
}

std::uint64_t LatencyCounts::at_most(std::size_t bound) const noexcept {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i <= bound; ++i) {
        sum += counts_[i].load();
    }
    return sum;
}

std::uint64_t LatencyCounts::count() const noexcept {
    return at_most(kBounds.size());
}

}  // namespace sluice::serve
