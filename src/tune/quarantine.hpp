// quarantine.hpp -- rows that are held back until the next ones show whether they can be believed.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "robust_constants.hpp"
#include "state.hpp"

namespace sluice::tune {

class Quarantine {
  public:
    Quarantine(std::size_t inputs, std::size_t outputs) : p_(inputs), q_(outputs) {}

    [[nodiscard]] std::size_t size() const { return rows_; }
    [[nodiscard]] bool empty() const { return rows_ == 0; }

    /// y: as observed. bounded: the same with suspect labels moved towards their predictions. error_size: see ErrorWatch::in_largest().
    void add(std::span<const double> x, std::span<const double> y, std::span<const double> bounded, double error_size) {
        numbers_.resize(kMostHeld * width());  // once
        double* row = numbers_.data() + (rows_ * width());
        std::ranges::copy(x, row);
        std::ranges::copy(y, row + p_);
        std::ranges::copy(bounded, row + p_ + q_);
        error_sizes_[rows_++] = error_size;
    }
    /// The oldest is row 0.
    [[nodiscard]] std::span<const double> x(std::size_t row) const { return {place(row), p_}; }
    [[nodiscard]] std::span<const double> y(std::size_t row) const { return {place(row) + p_, q_}; }
    [[nodiscard]] std::span<const double> bounded(std::size_t row) const { return {place(row) + p_ + q_, q_}; }
    [[nodiscard]] double error_size(std::size_t row) const { return error_sizes_[row]; }
    void clear() noexcept { rows_ = 0; }
    /// Of the rows held back: the same for a model that was saved and loaded.
    [[nodiscard]] std::size_t bytes() const { return rows_ * width() * sizeof(double); }

    void save(core::StateWriter& out) const {
        out.put(static_cast<std::uint64_t>(rows_));
        for (std::size_t row = 0; row < rows_; ++row) {
            out.put(error_sizes_[row]);
            out.put_raw({place(row), width()});
        }
    }
    void load(core::StateReader& in) {
        std::uint64_t rows = 0;
        in.get(rows);
        const std::size_t stored = in.stored_inputs(p_);
        in.require(rows < kMostHeld && rows <= in.left() / sizeof(double) / (stored + (2 * q_)),
                   "it holds back more rows than it has room for");
        rows_ = static_cast<std::size_t>(rows);
        numbers_.assign(rows_ > 0 ? kMostHeld * width() : 0, std::numeric_limits<double>::quiet_NaN());
        for (std::size_t row = 0; row < rows_; ++row) {
            in.get(error_sizes_[row]);
            in.require(error_sizes_[row] > 0.0, "a row is held back without an error");
            in.get_raw(std::span(numbers_).subspan(row * width(), stored));
            in.get_raw(std::span(numbers_).subspan((row * width()) + p_, 2 * q_));
        }
    }

  private:
    [[nodiscard]] std::size_t width() const { return p_ + (2 * q_); }
    [[nodiscard]] const double* place(std::size_t row) const { return numbers_.data() + (row * width()); }

    std::size_t p_;
    std::size_t q_;
    std::size_t rows_ = 0;
    std::vector<double> numbers_;  // [x y bounded] of each row
    std::array<double, kMostHeld> error_sizes_ = {};
};

}  // namespace sluice::tune
