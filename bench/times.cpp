// times.cpp -- times of many rows in a few numbers.
#include "times.hpp"

#include <algorithm>
#include <ctime>  // clock_gettime, of POSIX
#include <numeric>
#include <utility>

namespace sluice::bench {

double processor_microseconds() {
    timespec now{};
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (1e6 * static_cast<double>(now.tv_sec)) + (1e-3 * static_cast<double>(now.tv_nsec));
}

Times summary(std::vector<double> times) {
    if (times.empty()) {
        return {};
    }
    std::ranges::sort(times);
    const auto count = static_cast<double>(times.size());
    const auto at = [&](double share) {
        return times[std::min(times.size() - 1, static_cast<std::size_t>(share * count))];
    };
    return {.mean = std::accumulate(times.begin(), times.end(), 0.0) / count,
            .median = at(0.5),
            .p99 = at(0.99),
            .p999 = at(0.999),
            .most = times.back(),
            .rows = times.size()};
}

double median(std::vector<double> values) {
    return summary(std::move(values)).median;
}

}  // namespace sluice::bench
