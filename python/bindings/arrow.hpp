// arrow.hpp -- the structures of the Arrow C data interface and the Arrow C stream interface, as specified at
// arrow.apache.org/docs/format/CDataInterface.html, and owners that always call the release callback.
#pragma once

#include <cstdint>
#include <utility>

extern "C" {

struct ArrowSchema {
    const char* format;
    const char* name;
    const char* metadata;
    std::int64_t flags;
    std::int64_t n_children;
    ArrowSchema** children;
    ArrowSchema* dictionary;
    void (*release)(ArrowSchema*);
    void* private_data;
};

struct ArrowArray {
    std::int64_t length;
    std::int64_t null_count;
    std::int64_t offset;
    std::int64_t n_buffers;
    std::int64_t n_children;
    const void** buffers;
    ArrowArray** children;
    ArrowArray* dictionary;
    void (*release)(ArrowArray*);
    void* private_data;
};

struct ArrowArrayStream {
    int (*get_schema)(ArrowArrayStream*, ArrowSchema* out);
    int (*get_next)(ArrowArrayStream*, ArrowArray* out);
    const char* (*get_last_error)(ArrowArrayStream*);
    void (*release)(ArrowArrayStream*);
    void* private_data;
};
}

namespace sluice::python {

/// One of the three structures. A null release callback means: nothing is held.
template <typename Structure>
class ArrowOwner {
  public:
    ArrowOwner() = default;
    /// Moves the structure out of the producer's memory, as the specification asks of a consumer.
    explicit ArrowOwner(Structure& from) : structure_(std::exchange(from, Structure{})) {}
    ~ArrowOwner() { static_cast<void>(reset()); }
    ArrowOwner(const ArrowOwner&) = delete;
    ArrowOwner& operator=(const ArrowOwner&) = delete;

    /// Releases what is held; a callback may then fill the structure.
    [[nodiscard]] Structure* reset() {
        if (structure_.release != nullptr) {
            structure_.release(&structure_);
        }
        structure_ = {};
        return &structure_;
    }
    [[nodiscard]] bool empty() const noexcept { return structure_.release == nullptr; }
    [[nodiscard]] Structure* get() noexcept { return &structure_; }
    [[nodiscard]] const Structure& operator*() const noexcept { return structure_; }
    [[nodiscard]] const Structure* operator->() const noexcept { return &structure_; }

  private:
    Structure structure_ = {};
};

}  // namespace sluice::python
