// times.hpp -- times of many rows in a few numbers. The mean comes first: a median hides the rows that cost the most.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <utility>
#include <vector>

namespace sluice::bench {

/// Time for which the calling thread has run.
[[nodiscard]] double processor_microseconds();

/// Microseconds per row.
struct Times {
    double mean = 0.0;
    double median = 0.0;
    double p99 = 0.0;   ///< 99th percentile
    double p999 = 0.0;  ///< 99.9th percentile; of fewer than 1,000 rows the maximum
    double most = 0.0;
    std::size_t rows = 0;

    [[nodiscard]] double tail() const { return p99 / median; }
};

/// Microseconds that `work` takes. With one thread, the time in which the system ran other programs instead does not
/// count: it is the lesser of elapsed time and processor time.
template <class Work>
[[nodiscard]] double time_of(Work&& work, std::size_t threads = 1) {
    const double processor_begin = processor_microseconds();
    const auto begin = std::chrono::steady_clock::now();
    std::forward<Work>(work)();
    const std::chrono::duration<double, std::micro> elapsed = std::chrono::steady_clock::now() - begin;
    const double processor = processor_microseconds() - processor_begin;
    return threads == 1 ? std::min(elapsed.count(), processor) : elapsed.count();
}

/// Zeros where there are no times.
[[nodiscard]] Times summary(std::vector<double> times);

[[nodiscard]] double median(std::vector<double> values);

}  // namespace sluice::bench
