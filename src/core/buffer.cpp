// buffer.cpp -- memory for long arrays.
#include "buffer.hpp"

#include <sys/mman.h>

#include <new>

namespace sluice::core {

namespace {

constexpr std::size_t kLine = 64;
constexpr std::size_t kLarge = std::size_t{1} << 20U;  // bytes from which a buffer gets its own pages

}  // namespace

void* allocate_zeroed(std::size_t bytes) {
    if (bytes < kLarge) {
        void* memory = ::operator new(bytes, std::align_val_t{kLine});
        std::memset(memory, 0, bytes);
        return memory;
    }
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {  // NOLINT(performance-no-int-to-ptr)
        throw std::bad_alloc();
    }
#ifdef MADV_HUGEPAGE
    (void)madvise(memory, bytes, MADV_HUGEPAGE);  // only a hint: fewer TLB misses
#endif
    return memory;
}

void free_memory(void* memory, std::size_t bytes) noexcept {
    if (memory == nullptr) {
        return;
    }
    if (bytes < kLarge) {
        ::operator delete(memory, std::align_val_t{kLine});
    } else {
        munmap(memory, bytes);
    }
}

}  // namespace sluice::core
