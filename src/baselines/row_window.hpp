// row_window.hpp -- the last W rows of a stream, gaps already filled, oldest first.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sluice::baselines {

class RowWindow {
  public:
    /// window: 1 or more.
    RowWindow(std::size_t window, std::size_t inputs, std::size_t outputs)
        : window_(window), inputs_(inputs), outputs_(outputs), x_(window * inputs), y_(window * outputs) {}

    /// The oldest row makes way once there are W.
    void add(std::span<const double> x, std::span<const double> y) {
        assert(x.size() == inputs_ && y.size() == outputs_);
        const std::size_t place = rows_ % window_;
        std::ranges::copy(x, std::span(x_).subspan(place * inputs_, inputs_).begin());
        std::ranges::copy(y, std::span(y_).subspan(place * outputs_, outputs_).begin());
        ++rows_;
    }

    [[nodiscard]] std::uint64_t rows_added() const noexcept { return rows_; }
    [[nodiscard]] std::size_t size() const noexcept { return std::min<std::uint64_t>(rows_, window_); }
    /// Row i of those kept; 0 is the oldest.
    [[nodiscard]] std::span<const double> x(std::size_t i) const {
        return std::span(x_).subspan(place_of(i) * inputs_, inputs_);
    }
    [[nodiscard]] std::span<const double> y(std::size_t i) const {
        return std::span(y_).subspan(place_of(i) * outputs_, outputs_);
    }
    [[nodiscard]] std::size_t bytes() const noexcept { return (x_.size() + y_.size()) * sizeof(double); }

  private:
    [[nodiscard]] std::size_t place_of(std::size_t i) const {
        assert(i < size());
        return rows_ > window_ ? (rows_ + i) % window_ : i;
    }

    std::size_t window_;
    std::size_t inputs_;
    std::size_t outputs_;
    std::uint64_t rows_ = 0;
    std::vector<double> x_;  // ring of W rows
    std::vector<double> y_;
};

}  // namespace sluice::baselines
