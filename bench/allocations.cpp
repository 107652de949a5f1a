// allocations.cpp -- how often operator new was called in this process.
#include "allocations.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::size_t> calls{0};  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

[[maybe_unused]] void* counted(std::size_t size, std::size_t alignment) {
    calls.fetch_add(1, std::memory_order_relaxed);
    const std::size_t whole = (size + alignment - 1) / alignment * alignment;
    void* memory = std::aligned_alloc(alignment, whole == 0 ? alignment : whole);
    if (memory == nullptr) {
        throw std::bad_alloc();
    }
    return memory;
}

}  // namespace

#ifndef SLUICE_SANITIZED  // sanitizers bring operators of their own; nothing is counted then
// NOLINTBEGIN(cppcoreguidelines-no-malloc,misc-new-delete-overloads)
void* operator new(std::size_t size) {
    return counted(size, alignof(std::max_align_t));
}
void* operator new(std::size_t size, std::align_val_t alignment) {
    return counted(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t /*size*/) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::align_val_t /*alignment*/) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t /*size*/, std::align_val_t /*alignment*/) noexcept {
    std::free(memory);
}
// NOLINTEND(cppcoreguidelines-no-malloc,misc-new-delete-overloads)
#endif

namespace sluice::bench {

std::size_t allocations() noexcept {
    return calls.load(std::memory_order_relaxed);
}

}  // namespace sluice::bench
