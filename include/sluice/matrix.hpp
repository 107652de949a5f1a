// matrix.hpp -- the two forms of tables in the public interface.
#pragma once

#include <cassert>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace sluice {

/// A table of numbers that Sluice returns, stored column by column: column r of the weights is one component.
class Matrix {
  public:
    Matrix() = default;
    Matrix(std::size_t rows, std::size_t cols) : rows_(rows), cols_(cols), values_(rows * cols, 0.0) {}

    [[nodiscard]] std::size_t rows() const noexcept { return rows_; }
    [[nodiscard]] std::size_t cols() const noexcept { return cols_; }

    [[nodiscard]] double& operator()(std::size_t row, std::size_t col) {
        assert(row < rows_ && col < cols_);
        return values_[(col * rows_) + row];
    }
    [[nodiscard]] double operator()(std::size_t row, std::size_t col) const {
        assert(row < rows_ && col < cols_);
        return values_[(col * rows_) + row];
    }

    [[nodiscard]] std::span<double> column(std::size_t col) { return {values_.data() + (col * rows_), rows_}; }
    [[nodiscard]] std::span<const double> column(std::size_t col) const {
        return {values_.data() + (col * rows_), rows_};
    }

    [[nodiscard]] double* data() noexcept { return values_.data(); }
    [[nodiscard]] const double* data() const noexcept { return values_.data(); }

    friend bool operator==(const Matrix&, const Matrix&) = default;

  private:
    std::size_t rows_ = 0;
    std::size_t cols_ = 0;
    std::vector<double> values_;
};

/// Rows that a caller passes to Sluice, one after the other in memory. A view: nothing is copied.
class Rows {
  public:
    Rows(std::span<const double> values, std::size_t width) : values_(values), width_(width) {
        if (width == 0 || values.size() % width != 0) {
            throw std::invalid_argument("rows of " + std::to_string(width) + " numbers cannot be made of " +
                                        std::to_string(values.size()));
        }
    }

    [[nodiscard]] std::size_t count() const noexcept { return values_.size() / width_; }
    [[nodiscard]] std::size_t width() const noexcept { return width_; }
    [[nodiscard]] std::span<const double> operator[](std::size_t row) const {
        return values_.subspan(row * width_, width_);
    }
    [[nodiscard]] std::span<const double> values() const noexcept { return values_; }

  private:
    std::span<const double> values_;
    std::size_t width_;
};

}  // namespace sluice
