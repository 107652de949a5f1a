// history.hpp -- the rows that still have weight, kept input by input.
//
// C_ij is the weighted sum, over all rows, of the products of the deviations of inputs i and j. Old rows have lost
// their weight to rounding, by forgetting; from the others any entry of C is one long dot product.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "buffer.hpp"
#include "kernels.hpp"
#include "row_buffer.hpp"
#include "workers.hpp"

namespace sluice::core {

class StateReader;
class StateWriter;

/// The newest rows in a RowBuffer, and before them a ring of older ones stored input by input, in double precision or,
/// with half the memory, in single precision. A series has one number per row kept: those of the ring, then the recent.
class History {
  public:
    /// How many rows weigh more than 1e-16 of the newest one.
    [[nodiscard]] static std::size_t rows_for(double forgetting);
    [[nodiscard]] static std::size_t bytes_for(std::size_t inputs, std::size_t rows, bool single);

    History(std::size_t inputs, std::size_t rows, bool single);

    [[nodiscard]] RowBuffer& recent() { return recent_; }
    [[nodiscard]] const RowBuffer& recent() const { return recent_; }
    /// Moves the recent rows, which must be full, into the ring.
    void archive(Workers& workers);
    void archive();
    [[nodiscard]] std::uint64_t archived() const { return archived_; }  ///< calls of archive() so far

    [[nodiscard]] std::size_t capacity() const { return rows_; }  ///< the most that ring_rows() will be
    [[nodiscard]] std::size_t ring_rows() const { return used_; }
    [[nodiscard]] std::size_t length() const { return used_ + recent_.count(); }  ///< of a series
    /// Where in the ring the last call of archive() put its first row.
    [[nodiscard]] std::size_t newest_slot() const { return (next_ == 0 ? rows_ : next_) - kLanes; }
    [[nodiscard]] kernels::RingRows all_rows() const { return {.first = 0, .last = used_, .wrapped = 0}; }
    /// The newest rows of the ring: those that weigh at least `share` of the newest row of all.
    [[nodiscard]] kernels::RingRows newest_rows(double share) const;
    /// The other rows of the ring.
    [[nodiscard]] kernels::RingRows older_rows(const kernels::RingRows& newest) const {
        return newest.last == used_ ? kernels::RingRows{.first = newest.wrapped, .last = newest.first, .wrapped = 0}
                                    : kernels::RingRows{.first = newest.last, .last = used_, .wrapped = newest.first};
    }

    /// The deviations of row t, 0 the oldest, in h; returns its weight.
    double row(std::size_t t, std::span<double> h) const;
    /// series_t = weight_t h_tj, over the ring alone or over all rows.
    void ring_series(std::size_t j, std::span<double> series) const;
    void series(std::size_t j, std::span<double> series) const;
    /// sum_t h_ti series_t, over the ring alone or over all rows.
    [[nodiscard]] double ring_dot(std::size_t i, std::span<const double> series) const;
    [[nodiscard]] double dot(std::size_t i, std::span<const double> series) const;
    /// The same for several inputs and aligned series, over the given rows of the ring and all that are recent:
    /// out[i * series.size() + m].
    void dots(std::span<const std::size_t> inputs, std::span<const double* const> series, const kernels::RingRows& rows,
              std::span<double> out, Workers& workers) const;

    /// Numbers of each row, aligned: the scores, and the scores times the weights of the rows.
    struct Scores {
        std::span<double> plain;
        std::span<double> weighted;
    };
    /// scores_t = h_t v, where v has coefficient[s] at support[s].
    struct ScoresOf {
        std::span<const std::size_t> support;
        std::span<const double> coefficient;
        Scores scores;
    };
    /// Those of several v at once, for the given rows of the ring and all that are recent.
    void scores(std::span<const ScoresOf> all, const kernels::RingRows& rows, Workers& workers) const;
    /// The same for the rows of the last call of archive(), and for the recent rows; the other scores stay.
    void newest_ring_scores(std::span<const std::size_t> support, std::span<const double> coefficient,
                            const Scores& scores) const;
    void recent_scores(std::span<const std::size_t> support, std::span<const double> coefficient,
                       const Scores& scores) const;
    /// weighted_t = weight_t scores_t, over the ring
    void weigh(const Scores& scores) const;

    /// out_m = C v_m for all inputs: v_m has coefficient[s][m] at support[s], m < targets.
    void multiply(std::span<const std::size_t> support, std::span<const double> coefficient, std::size_t targets,
                  double* out, std::size_t out_stride, Workers& workers) const;

    void scale_weights(double factor);
    void scale_input(std::size_t j, double factor);
    /// Multiplies the weights of our rows by `factor` and adds the rows of a later history, then one row more.
    void append(const History& later, double factor, std::span<const double> row, double weight);

    [[nodiscard]] std::size_t bytes() const;
    void save(StateWriter& out) const;
    void load(StateReader& in);

  private:
    [[nodiscard]] double ring_value(std::size_t j, std::size_t slot) const;
    void gather_series(std::span<const std::size_t> inputs) const;
    void ring_scores(const ScoresOf& of, std::size_t first_series, std::size_t from, std::size_t to,
                     const kernels::RingRows& rows) const;

    std::size_t inputs_;
    std::size_t rows_;    // capacity of the ring, a multiple of kLanes
    std::size_t stride_;  // from one input to the next
    std::size_t used_ = 0;
    std::size_t next_ = 0;
    std::uint64_t archived_ = 0;
    std::vector<double> weights_;  // of each slot of the ring
    Buffer<double> double_ring_;   // one of the two is empty
    Buffer<float> single_ring_;
    RowBuffer recent_;
    mutable std::vector<double> series_;  // scratch
    mutable std::vector<double> sums_;
    mutable std::vector<const double*> double_series_;  // scratch: one of the two is used, for all that a call names
    mutable std::vector<const float*> single_series_;
};

}  // namespace sluice::core
