// replay_buffer.hpp -- the last rows learnt, with the errors that the longest memory made in them. A fresh start of that memory
// learns them again.
//
// An input is kept to a multiple of 2^-29 of its spread, a power of two near its standard deviation. That changes the forecasts of a
// fresh start by some 1e-9 of the output's standard deviation, and a saved state needs half the room for these rows. The spreads are
// set every kSpreadRows rows.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <span>
#include <vector>

#include "state.hpp"

namespace sluice::tune {

class ReplayBuffer {
  public:
    ReplayBuffer(std::size_t inputs, std::size_t outputs)
        : p_(inputs),
          q_(outputs),
          most_(std::clamp(kNumbers / (inputs + outputs), kFewest, kMost)),
          spread_(inputs, kExact),
          rounding_(inputs, 0.0) {}

    [[nodiscard]] std::size_t most() const { return most_; }
    [[nodiscard]] std::size_t size() const { return errors_.size(); }

    void add(std::span<const double> x, std::span<const double> y, double error) {
        if (rows_.empty()) {
            rows_.resize(most_ * (p_ + q_));
            errors_.reserve(most_);
        }
        if (errors_.size() == most_) {
            errors_.erase(errors_.begin());
            first_ = (first_ + 1) % most_;
        }
        errors_.push_back(error);
        double* row = place(errors_.size() - 1);
        for (std::size_t j = 0; j < p_; ++j) {
            row[j] = (x[j] + rounding_[j]) - rounding_[j];
        }
        std::ranges::copy(y, row + p_);
        rows_to_spread_ = rows_to_spread_ > 0 ? rows_to_spread_ - 1 : kSpreadRows - 1;
    }

    /// Before a row is added: whether set_spread() is to be called for each input.
    [[nodiscard]] bool spreads_due() const { return rows_to_spread_ == 0; }
    static constexpr int kExact = -10000;  ///< the spread of an input that does not vary: it is kept as it is
    /// exponent: floor(log2) of the standard deviation, in the caller's units.
    void set_spread(std::size_t input, int exponent) {
        constexpr int kFurthest = 900;  // what is added for rounding is a normal number
        spread_[input] = static_cast<std::int16_t>(std::abs(exponent) <= kFurthest ? exponent : kExact);
        // x + 1.5 * 2^52 * unit has no bits below the unit.
        rounding_[input] = spread_[input] == kExact ? 0.0 : std::ldexp(1.5, spread_[input] - kKeptBits + 52);
    }

    /// The oldest is row 0.
    [[nodiscard]] std::span<const double> x(std::size_t row) const { return {place(row), p_}; }
    [[nodiscard]] std::span<const double> y(std::size_t row) const { return {place(row) + p_, q_}; }
    [[nodiscard]] std::span<double> errors() { return errors_; }

    /// Bytes of all rows.
    [[nodiscard]] std::size_t bytes() const { return rows_.size() * sizeof(double); }

    void save(core::StateWriter& out) const {
        out.put(static_cast<std::uint64_t>(size()));
        for (std::size_t row = 0; row < size(); ++row) {
            out.put_raw(x(row));
            out.put_raw(y(row));
        }
        out.put_all(errors_);
        out.put(rows_to_spread_);
        out.put_all(spread_);
    }
    void load(core::StateReader& in) {
        std::uint64_t size = 0;
        in.get(size);
        const std::size_t stored = in.stored_inputs(p_);
        in.require(
            size <= (in.added_inputs() > 0 ? kMost : most_) && size <= in.left() / sizeof(double) / (stored + q_),
            "its replay buffer holds more rows than it has room for");
        errors_.clear();
        std::ranges::fill(rounding_, 0.0);  // rows are rounded already
        std::vector<double> row(p_ + q_, std::numeric_limits<double>::quiet_NaN());
        for (std::uint64_t i = 0; i < size; ++i) {
            in.get_raw(std::span(row).first(stored));
            in.get_raw(std::span(row).last(q_));
            add(std::span(row).first(p_), std::span(row).last(q_), 0.0);
        }
        std::vector<double> errors(size);
        in.get_all(errors);
        std::copy_n(errors.end() - static_cast<std::ptrdiff_t>(errors_.size()), errors_.size(), errors_.begin());
        in.require(std::ranges::all_of(errors_, [](double e) { return e >= 0.0; }),
                   "an error in its replay buffer is negative");
        rows_to_spread_ = 0;
        if (!in.current()) {
            return;
        }
        in.get(rows_to_spread_);
        in.require(rows_to_spread_ < kSpreadRows, "the age of its spreads is out of range");
        in.get_all(std::span(spread_).first(stored));
        for (std::size_t j = 0; j < p_; ++j) {
            set_spread(j, spread_[j]);
        }
    }

  private:
    static constexpr int kKeptBits = 29;
    static constexpr std::uint8_t kSpreadRows = 64;
    static constexpr std::size_t kMost = 64;
    static constexpr std::size_t kFewest = 16;
    static constexpr std::size_t kNumbers = std::size_t{8} << 20U;  // at most 64 MB, but for very wide rows

    [[nodiscard]] const double* place(std::size_t row) const {
        return rows_.data() + (((first_ + row) % most_) * (p_ + q_));
    }
    [[nodiscard]] double* place(std::size_t row) { return rows_.data() + (((first_ + row) % most_) * (p_ + q_)); }

    std::size_t p_;
    std::size_t q_;
    std::size_t most_;
    std::size_t first_ = 0;
    std::vector<double> rows_;
    std::vector<double> errors_;        // oldest first
    std::vector<std::int16_t> spread_;  // of each input
    std::vector<double> rounding_;      // what is added and taken away again
    std::uint8_t rows_to_spread_ = 0;
};

}  // namespace sluice::tune
