// row_buffer.hpp -- the newest rows, row by row, before they move into the history or into the columns of C.
#pragma once

#include <array>
#include <cstddef>

#include "buffer.hpp"

namespace sluice::core {

class StateReader;
class StateWriter;

/// Deviations h of all inputs in each row, and each row's weight.
class RowBuffer {
  public:
    static constexpr std::size_t kMost = kLanes;

    RowBuffer(std::size_t inputs, std::size_t capacity);

    [[nodiscard]] double* next() { return row(count_); }  ///< where the coming row goes, p numbers
    void push(double weight) { weights_[count_++] = weight; }
    void clear() { count_ = 0; }
    [[nodiscard]] bool full() const { return count_ == capacity_; }

    [[nodiscard]] std::size_t count() const { return count_; }
    [[nodiscard]] double* row(std::size_t b) { return rows_.data() + (b * stride_); }
    [[nodiscard]] const double* row(std::size_t b) const { return rows_.data() + (b * stride_); }
    [[nodiscard]] double weight(std::size_t b) const { return weights_[b]; }
    [[nodiscard]] std::size_t bytes() const { return rows_.bytes(); }

    void scale_weights(double factor);
    void scale_input(std::size_t j, double factor);
    void save(StateWriter& out) const;
    void load(StateReader& in);

  private:
    std::size_t inputs_;
    std::size_t stride_;
    std::size_t capacity_;
    std::size_t count_ = 0;
    std::array<double, kMost> weights_{};
    Buffer<double> rows_;
};

}  // namespace sluice::core
