// history.hpp -- the rows that still weigh something, kept input by input.
//
// C_ij is the weighted sum of products of two inputs' deviations over all rows. Rows older than the memory of the
// forgetting weigh less than rounding; from the others any entry of C can be had by one long dot product.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "buffer.hpp"
#include "workers.hpp"

namespace sluice::core {

class StateReader;
class StateWriter;

/// The last few rows, row by row: deviations h of all inputs, and each row's weight.
class RecentRows {
  public:
    static constexpr std::size_t kMost = kLanes;

    RecentRows(std::size_t inputs, std::size_t most);

    [[nodiscard]] double* next() { return row(count_); }  ///< where the coming row goes, p numbers
    void push(double weight) { weights_[count_++] = weight; }
    void clear() { count_ = 0; }
    [[nodiscard]] bool full() const { return count_ == most_; }

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
    std::size_t most_;
    std::size_t count_ = 0;
    std::array<double, kMost> weights_{};
    Buffer<double> rows_;
};

/// RecentRows, and before them a ring of older ones in columns: Number is double, or float to halve the memory.
class History {
  public:
    /// Rows that weigh more than 1e-16 of the newest one.
    [[nodiscard]] static std::size_t rows_for(double forgetting);
    [[nodiscard]] static std::size_t bytes_for(std::size_t inputs, std::size_t rows, bool single);

    History(std::size_t inputs, std::size_t rows, bool single);

    [[nodiscard]] RecentRows& recent() { return recent_; }
    [[nodiscard]] const RecentRows& recent() const { return recent_; }
    /// The recent rows, which must be full, move into the ring.
    void archive();

    /// weight * deviation of input j: in the ring, `series` has ring_rows() numbers.
    [[nodiscard]] std::size_t ring_rows() const { return used_; }
    [[nodiscard]] std::size_t room() const { return rows_; }  ///< the most that ring_rows() will be
    void ring_series(std::size_t j, std::span<double> series) const;
    /// Sum over the ring of the deviations of input i times a series.
    [[nodiscard]] double ring_dot(std::size_t i, std::span<const double> series) const;

    /// series_t = h_t v in the ring, aligned; ring_weigh() then multiplies by the rows' weights.
    void ring_scores(std::span<const std::size_t> support, std::span<const double> coefficient,
                     std::span<double> series) const;
    /// The same for the rows that archive() brought last, the rest of `series` being as of before.
    void newest_ring_scores(std::span<const std::size_t> support, std::span<const double> coefficient,
                            std::span<double> series) const;
    [[nodiscard]] std::size_t newest_slot() const { return (next_ == 0 ? rows_ : next_) - kLanes; }
    [[nodiscard]] std::uint64_t archived() const { return archived_; }  ///< calls of archive() so far
    void ring_weigh(std::span<const double> raw, std::span<double> series) const;
    /// out_m = C v_m for all inputs: v has coefficient[s][m] at support[s], `targets` of them.
    void multiply(std::span<const std::size_t> support, std::span<const double> coefficient, std::size_t targets,
                  double* out, std::size_t out_stride, Workers& workers) const;

    void scale_weights(double factor);
    void scale_input(std::size_t j, double factor);
    /// The rows of another history, then one row more, come after ours, whose weights are multiplied by `factor`.
    void append(const History& later, double factor, std::span<const double> row, double weight);

    [[nodiscard]] std::size_t bytes() const;
    void save(StateWriter& out) const;
    void load(StateReader& in);

  private:
    [[nodiscard]] double ring_value(std::size_t j, std::size_t slot) const;

    std::size_t inputs_;
    std::size_t rows_;    // room in the ring, a multiple of kLanes
    std::size_t stride_;  // from one input to the next
    std::size_t used_ = 0;
    std::size_t next_ = 0;
    std::uint64_t archived_ = 0;
    std::vector<double> weights_;  // of each slot of the ring
    Buffer<double> double_ring_;   // one of the two is empty
    Buffer<float> single_ring_;
    RecentRows recent_;
    mutable std::vector<double> series_;  // scratch
    mutable std::vector<double> sums_;
    mutable std::vector<const double*> pointers_;
};

}  // namespace sluice::core
