// pending_rows.hpp -- the last rows, group of inputs by group, for columns that get them later.
#pragma once

#include <algorithm>
#include <cstddef>

#include "buffer.hpp"
#include "panel_kernels.hpp"

namespace sluice::core {

/// Copies the numbers of one group; few enough that a call of the library would cost more.
template <typename Number>
void copy_group(const Number* from, std::size_t group, Number* to) {
    for (std::size_t i = 0; i < group; i += kLanes) {
        std::copy_n(from + i, kLanes, to + i);
    }
}

/// The inputs are in groups of consecutive ones, as many groups as rows are kept. Each row is the turn of one group, in
/// order: what is stored about inputs of that group then gets the rows that it lacks.
template <typename Number>
class PendingRows {
  public:
    /// `group`: inputs of each group, whole cache lines of numbers.
    PendingRows(std::size_t inputs, std::size_t group);
    [[nodiscard]] static std::size_t groups_for(std::size_t inputs, std::size_t group);

    [[nodiscard]] std::size_t group() const { return group_; }
    [[nodiscard]] std::size_t groups() const { return groups_; }
    [[nodiscard]] std::size_t group_of(std::size_t j) const { return j / group_; }

    /// Takes in a row of whole groups; returns the group whose turn it is.
    std::size_t push(const Number* row);
    /// The group whose turn comes next.
    [[nodiscard]] std::size_t turn() const { return turn_; }
    void set_turn(std::size_t turn) { turn_ = turn; }

    /// Rows since the last turn of group I.
    [[nodiscard]] std::size_t since(std::size_t I) const { return turn_ - 1 - I + (I < turn_ ? 0 : groups_); }

    /// The newest rows of two groups, the oldest of them first.
    [[nodiscard]] kernels::PanelRows<Number> newest(std::size_t count, std::size_t I, std::size_t J) const;
    [[nodiscard]] kernels::Panels<Number> panels() const;
    /// Where the row of that age is among the rows of a group; 0 is the newest.
    [[nodiscard]] std::size_t place(std::size_t age) const { return since(age); }
    /// Input j in the row of that age.
    [[nodiscard]] Number at(std::size_t age, std::size_t j) const;
    /// The numbers of group I in the row at that place.
    [[nodiscard]] Number* numbers(std::size_t I, std::size_t place) {
        return rows_.data() + (((I * groups_) + place) * group_);
    }
    [[nodiscard]] const Number* numbers(std::size_t I, std::size_t place) const {
        return rows_.data() + (((I * groups_) + place) * group_);
    }

    void scale(Number factor);
    void scale_input(std::size_t j, Number factor);
    void clear();  ///< rows of zeros change nothing
    [[nodiscard]] std::size_t bytes() const { return rows_.bytes(); }

  private:
    std::size_t group_;
    std::size_t groups_;
    std::size_t turn_ = 0;
    Buffer<Number> rows_;  // by groups, then by rows: the rows of a group are read one after the other
};

}  // namespace sluice::core
