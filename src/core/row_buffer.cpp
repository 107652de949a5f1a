// row_buffer.cpp -- the newest rows, row by row.
#include "row_buffer.hpp"

#include <cassert>
#include <cstdint>
#include <span>

#include "state.hpp"

namespace sluice::core {

RowBuffer::RowBuffer(std::size_t inputs, std::size_t capacity)
    : inputs_(inputs), stride_(column_stride(inputs)), capacity_(capacity), rows_(capacity * stride_) {
    assert(capacity >= 1 && capacity <= kMost);
}

void RowBuffer::scale_weights(double factor) {
    for (double& weight : std::span(weights_).first(count_)) {
        weight *= factor;
    }
}

void RowBuffer::scale_input(std::size_t j, double factor) {
    for (std::size_t b = 0; b < count_; ++b) {
        row(b)[j] *= factor;
    }
}

void RowBuffer::save(StateWriter& out) const {
    out.put(static_cast<std::uint64_t>(count_));
    for (std::size_t b = 0; b < count_; ++b) {
        out.put(weights_[b]);
        out.put_all(std::span(row(b), inputs_));
    }
}

void RowBuffer::load(StateReader& in) {
    std::uint64_t count = 0;
    in.get(count);
    in.require(count < capacity_, "the buffer of the newest rows holds more rows than its capacity");
    for (std::size_t b = 0; b < count; ++b) {
        in.get(weights_[b]);
        in.require(weights_[b] >= 0.0, "the weight of a row is negative");
        in.get_all(std::span(row(b), in.stored_inputs(inputs_)));
    }
    count_ = count;
}

}  // namespace sluice::core
