// buffer.hpp -- long arrays of numbers for the kernels: zero-filled, aligned to a cache line, large ones on huge pages.
// Pages of a large buffer that were never written take no memory.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>

namespace sluice::core {

/// Memory filled with zeros and aligned to 64 bytes; throws std::bad_alloc.
[[nodiscard]] void* allocate_zeroed(std::size_t bytes);
void free_memory(void* memory, std::size_t bytes) noexcept;

template <typename T>
class Buffer {
    static_assert(std::is_trivially_copyable_v<T>);

  public:
    Buffer() = default;
    explicit Buffer(std::size_t size)
        : data_(size > 0 ? static_cast<T*>(allocate_zeroed(size * sizeof(T))) : nullptr), size_(size) {}
    Buffer(const Buffer& other) : Buffer(other.size_) {
        if (size_ > 0) {
            std::memcpy(data_, other.data_, size_ * sizeof(T));
        }
    }
    Buffer(Buffer&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
    Buffer& operator=(Buffer other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        return *this;
    }
    ~Buffer() { free_memory(data_, size_ * sizeof(T)); }

    [[nodiscard]] T* data() noexcept { return data_; }
    [[nodiscard]] const T* data() const noexcept { return data_; }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] std::size_t bytes() const noexcept { return size_ * sizeof(T); }
    [[nodiscard]] T& operator[](std::size_t i) noexcept { return data_[i]; }
    [[nodiscard]] const T& operator[](std::size_t i) const noexcept { return data_[i]; }
    [[nodiscard]] std::span<T> all() noexcept { return {data_, size_}; }
    [[nodiscard]] std::span<const T> all() const noexcept { return {data_, size_}; }

  private:
    T* data_ = nullptr;
    std::size_t size_ = 0;
};

/// The most numbers per vector (AVX-512). Arrays over all inputs are padded to a multiple, so that kernels need no
/// tail.
constexpr std::size_t kLanes = 8;
constexpr std::size_t kCacheLine = 64;  // bytes, as wide as the widest vector

[[nodiscard]] constexpr std::size_t padded(std::size_t n) noexcept {
    return (n + kLanes - 1) / kLanes * kLanes;
}

/// The distance between columns of n numbers: padded, and never a multiple of 4,096 bytes, which would map all columns
/// to the same sets of the cache.
[[nodiscard]] constexpr std::size_t column_stride(std::size_t n) noexcept {
    constexpr std::size_t kPage = 4096 / sizeof(double);
    const std::size_t stride = padded(n);
    return stride % kPage == 0 ? stride + kLanes : stride;
}

}  // namespace sluice::core
