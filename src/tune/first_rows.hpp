// first_rows.hpp -- wrong values among the first rows. Nothing could judge them when they came; the rows after them can.
//
// With [low, high] the range of the other values of its column among the first rows, at least six, a value v is wrong where
//     v < low - 5 (high - low)   or   v > high + 5 (high - low)          an input: 50 instead of 5
// Labels are judged after row 7 and after row 21, inputs after row 21: a smooth input leaves the range of six neighbours too often.
// The newest value is not judged: it may be the first of a new level. The rows are kept as they came, so that a model can learn them
// again without the wrong value.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "robust_constants.hpp"

namespace sluice::core {
class StateReader;
class StateWriter;
}  // namespace sluice::core

namespace sluice::tune {

class FirstRows {
  public:
    FirstRows(std::size_t inputs, std::size_t outputs) : p_(inputs), q_(outputs) {}

    /// Adds a row, unless the first rows are over. True where a value turns out to be wrong: it is missing from now on, and
    /// the model must learn all rows again.
    bool add(std::span<const double> x, std::span<const double> y);
    [[nodiscard]] std::size_t size() const { return rows_; }
    [[nodiscard]] std::span<const double> x(std::size_t row) const { return {values_.data() + (row * width()), p_}; }
    [[nodiscard]] std::span<const double> y(std::size_t row) const {
        return {values_.data() + (row * width()) + p_, q_};
    }
    [[nodiscard]] std::size_t bytes() const { return rows_ * width() * sizeof(double); }

    void save(core::StateWriter& out) const;
    void load(core::StateReader& in);
    /// No more rows are kept.
    void end();

  private:
    [[nodiscard]] std::size_t width() const { return p_ + q_; }
    [[nodiscard]] std::size_t wrong_row(std::size_t column, double reach) const;
    [[nodiscard]] bool remove_wrong_labels();
    [[nodiscard]] bool remove_wrong_inputs();

    std::size_t p_;
    std::size_t q_;
    std::size_t rows_ = 0;
    bool over_ = false;
    std::vector<double> values_;  // [x y] of each row
};

}  // namespace sluice::tune
