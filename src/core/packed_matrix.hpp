// packed_matrix.hpp -- second moments of all pairs of inputs: half of C in blocks; each row brings one group of inputs up to
// date.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "buffer.hpp"
#include "current_columns.hpp"
#include "pending_rows.hpp"
#include "small_numbers.hpp"
#include "workers.hpp"

namespace sluice::core {

/// In double precision the C of engine `dense`, in single precision what engine `screened` looks for candidates with.
template <typename Number>
class PackedMatrix {
  public:
    static constexpr std::size_t kLeastShared = 1024;  ///< inputs from which threads share the work of a row

    /// `group`: inputs of a group, whole cache lines of numbers. `in_use`: room for the columns that products need, which
    /// are kept up to date with every row.
    PackedMatrix(std::size_t inputs, std::size_t group, std::size_t in_use);
    [[nodiscard]] static std::size_t bytes_for(std::size_t inputs, std::size_t group, std::size_t in_use);

    /// Numbers of a row and of a column: whole groups.
    [[nodiscard]] std::size_t length() const { return pending_.groups() * pending_.group(); }
    /// C <- C + g'g
    void add_row(const Number* g, Workers& workers);

    /// Whether there is a current copy of each of these columns; starts those that are missing. False where there is no
    /// room for them.
    [[nodiscard]] bool take_current(std::span<const std::size_t> columns, Workers& workers) const;
    [[nodiscard]] bool take_current(std::span<const std::size_t> columns) const;
    [[nodiscard]] const Number* current(std::size_t j) const { return current_.column(j); }
    /// Column j as of the newest row.
    void read_column(std::size_t j, Number* to) const;
    void read_column(std::size_t j, Number* to, Workers& workers) const;

    /// C <- factor C, exact where the root of the factor is a power of two. Each group is multiplied at its next turn: no row
    /// costs as much as a pass over all of C.
    void scale(double factor);
    void scale_input(std::size_t j, Number factor);  ///< row and column j
    /// Adds to C the rows and the factor that it lacks.
    void complete();
    /// Rows that pend, and current copies, are no longer valid.
    void clear_rows();

    /// C without the rows that pend.
    [[nodiscard]] Number stored(std::size_t i, std::size_t j) const;
    /// The same for input i of group I and input j of group J, of which i is the larger.
    [[nodiscard]] Number stored_in(std::size_t I, std::size_t i, std::size_t J, std::size_t j) const {
        return in_scale(C_[place_of(I, J) + (j * pending_.group()) + i], lacks_factor(I, J));
    }
    /// The same to be changed, where no factor is lacking: after complete() or clear_rows().
    [[nodiscard]] Number& entry(std::size_t i, std::size_t j);
    [[nodiscard]] PendingRows<Number>& pending() { return pending_; }
    [[nodiscard]] const PendingRows<Number>& pending() const { return pending_; }
    [[nodiscard]] std::size_t bytes() const { return C_.bytes() + pending_.bytes() + current_.bytes(); }

  private:
    [[nodiscard]] std::size_t place_of(std::size_t I, std::size_t J) const;
    [[nodiscard]] std::size_t place_in(std::size_t i, std::size_t j) const;
    /// Whether neither group had a turn since C was multiplied.
    [[nodiscard]] bool lacks_factor(std::size_t I, std::size_t J) const {
        return pending_.since(I) >= rows_in_scale_ && pending_.since(J) >= rows_in_scale_;
    }
    [[nodiscard]] Number in_scale(Number stored, bool lacks) const {
        if (lacks) {
            multiply(stored, factor_);
        }
        return stored;
    }
    void multiply_block(std::size_t I, std::size_t J);
    void multiply_late_blocks();
    void update_group(std::size_t J, Workers& workers);
    void read_groups(std::size_t j, std::size_t first, std::size_t last, Number* to) const;

    std::size_t inputs_;
    PendingRows<Number> pending_;
    Number factor_ = 1;          // of the last scale()
    std::size_t rows_in_scale_;  // rows since then, at most the number of groups
    Buffer<Number>
        C_;  // the blocks on and below the diagonal, row of blocks by row, each by columns; only C_ij, i >= j, count
    // A copy of what follows from C and the rows: not saved, and no bit depends on which columns it holds.
    mutable CurrentColumns<Number> current_;
    mutable std::vector<Number> factors_;  // scratch: of each row
};

}  // namespace sluice::core
