// single_gram.hpp -- all of C in single precision: where to look for candidates, never a result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "buffer.hpp"
#include "packed_matrix.hpp"
#include "workers.hpp"

namespace sluice::core {

class History;
class StateReader;
class StateWriter;

/// Column j holds C_ij unit_i unit_j. The units are powers of two that keep its numbers within the range of a float.
class SingleGram {
  public:
    static constexpr double kRounding = 0x1p-24;  ///< the largest error of rounding to a float, as a share of it
    /// The least forgetting factor: a column must not leave the range of a float between two looks at it.
    static constexpr double kLeastForgetting = 0.8;

    /// `in_use`: room for the columns that products need. `rows`: of the history, those that have weight.
    SingleGram(std::size_t inputs, std::size_t in_use, std::size_t rows);
    [[nodiscard]] static std::size_t bytes_for(std::size_t inputs, std::size_t in_use);

    /// C <- C + weight h'h; h: padded.
    void add_row(const double* h, double weight, Workers& workers);
    /// Looks now and then whether columns have become too small. square: all C_jj, with the newest row.
    void keep_in_range(std::span<const double> square);

    /// |column_j[i] / (unit_i unit_j) - C_ij| <= error() sqrt(C_ii C_jj)
    [[nodiscard]] double error() const { return error_; }

    /// False where there is no room for these columns.
    [[nodiscard]] bool take(std::span<const std::size_t> columns, Workers& workers) {
        return C_.take_current(columns, workers);
    }
    /// Of an input that was taken, as of the newest row: length() numbers.
    [[nodiscard]] const float* column(std::size_t j) const { return C_.current(j); }
    /// 1 / unit of each input.
    [[nodiscard]] const double* inverse_units() const {
        return inverse_.data();
    }  ///< length() numbers; 0 where unknown
    [[nodiscard]] std::size_t length() const { return C_.length(); }

    void scale(double factor);
    void scale_input(std::size_t j, double factor);
    /// The rows of a history, the oldest first.
    void add_rows_of(const History& history);
    /// C <- factor C, then the rows of a later history, then one row more.
    void append(const History& later, double factor, std::span<const double> row, double weight);
    [[nodiscard]] std::size_t bytes() const { return C_.bytes() + unit_.bytes() + inverse_.bytes(); }
    void save(StateWriter& out) const;
    void load(StateReader& in);

  private:
    void adapt_units(const double* h);
    void set_unit(std::size_t j, double unit);

    std::size_t inputs_;
    double error_;
    PackedMatrix<float> C_;
    Buffer<double> unit_;
    Buffer<double> inverse_;
    Buffer<float> row_;  // the newest one
    double weight_ = 1.0;
    std::uint64_t rows_since_look_ = 0;
};

}  // namespace sluice::core
