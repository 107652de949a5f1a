// aligned_numbers.hpp -- numbers for the kernels, from the start of a cache line on: no vector lies across two lines.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

#include "buffer.hpp"

namespace sluice::tune {

template <typename T>
struct AlignedAllocator {
    using value_type = T;

    AlignedAllocator() = default;
    template <typename U>
    AlignedAllocator(const AlignedAllocator<U>& /*other*/) {}  // NOLINT(google-explicit-constructor)

    [[nodiscard]] T* allocate(std::size_t count) {
        return static_cast<T*>(::operator new(count * sizeof(T), std::align_val_t{core::kCacheLine}));
    }
    void deallocate(T* numbers, std::size_t /*count*/) noexcept {
        ::operator delete(numbers, std::align_val_t{core::kCacheLine});
    }
    friend bool operator==(const AlignedAllocator& /*a*/, const AlignedAllocator& /*b*/) { return true; }
};

/// Its size changes as that of a std::vector does, unlike that of a core::Buffer.
using AlignedNumbers = std::vector<double, AlignedAllocator<double>>;

}  // namespace sluice::tune
