// thread_clock.hpp -- the processor time of the calling thread: on shared cores it is what a computation costs, and the
// time of the wall is not.
#pragma once

#include <cstdint>
#include <ctime>

namespace sluice::compare {

/// Nanoseconds that this thread has computed.
[[nodiscard]] inline std::int64_t thread_nanoseconds() {
    constexpr std::int64_t kSecond = 1'000'000'000;
    timespec now{};
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (static_cast<std::int64_t>(now.tv_sec) * kSecond) + now.tv_nsec;
}

/// What two calls in a row measure: the least of many. It is subtracted from every measurement.
[[nodiscard]] std::int64_t clock_cost();

}  // namespace sluice::compare
