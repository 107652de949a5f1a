#include "thread_clock.hpp"

#include <algorithm>
#include <limits>

namespace sluice::compare {

std::int64_t clock_cost() {
    static const std::int64_t cost = [] {
        std::int64_t least = std::numeric_limits<std::int64_t>::max();
        for (int i = 0; i < 1000; ++i) {
            const std::int64_t before = thread_nanoseconds();
            least = std::min(least, thread_nanoseconds() - before);
        }
        return least;
    }();
    return cost;
}

}  // namespace sluice::compare
