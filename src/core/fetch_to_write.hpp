// fetch_to_write.hpp -- cache lines that are about to be written, where another core may have read them.
//
// A line that two cores have read must be taken away from the other core before it is written. Without being asked, the
// processor does so one line after the other: 29 nanoseconds each where every second line was read (Intel Xeon, cores of one
// machine), and 5 to 7 where all of them are requested first.
#pragma once

#include <cstddef>

#include "buffer.hpp"

namespace sluice::core {

inline void fetch_to_write(const double* from, std::size_t count) {
    for (std::size_t i = 0; i < count; i += kCacheLine / sizeof(double)) {
#if defined(__x86_64__)
        asm volatile("prefetchw %0" : : "m"(from[i]));  // gcc has no other way to it where older processors must run
#else
        __builtin_prefetch(from + i, 1);
#endif
    }
}

}  // namespace sluice::core
