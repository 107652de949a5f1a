#include "changes.hpp"

#include <algorithm>

namespace sluice::core {

// Nearly all is in both: what both begin and end with is passed over, then no branch on which is smaller.
void compare(std::span<const std::size_t> before, std::span<const std::size_t> after, std::vector<std::size_t>& entered,
             std::vector<std::size_t>& left) {
    const auto first = static_cast<std::size_t>(std::ranges::mismatch(before, after).in1 - before.begin());
    before = before.subspan(first);
    after = after.subspan(first);
    while (!before.empty() && !after.empty() && before.back() == after.back()) {
        before = before.first(before.size() - 1);
        after = after.first(after.size() - 1);
    }
    entered.resize(after.size() + 1);  // one more than can enter: what is not counted is written all the same
    left.resize(before.size() + 1);
    std::size_t in = 0;
    std::size_t out = 0;
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < before.size() && j < after.size()) {
        const std::size_t a = before[i];
        const std::size_t b = after[j];
        const std::size_t least = std::min(a, b);
        left[out] = a;
        entered[in] = b;
        out += b != least ? 1U : 0U;
        in += a != least ? 1U : 0U;
        i += a == least ? 1U : 0U;
        j += b == least ? 1U : 0U;
    }
    entered.resize(in);
    left.resize(out);
    entered.insert(entered.end(), after.begin() + static_cast<std::ptrdiff_t>(j), after.end());
    left.insert(left.end(), before.begin() + static_cast<std::ptrdiff_t>(i), before.end());
}

}  // namespace sluice::core
