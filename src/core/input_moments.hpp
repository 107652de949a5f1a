// input_moments.hpp -- C and M of eq. (15): weighted second moments of the inputs, among themselves and with the outputs.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "buffer.hpp"
#include "column_units.hpp"
#include "gram.hpp"
#include "output_moments.hpp"
#include "row.hpp"
#include "row_pass.hpp"
#include "sluice/options.hpp"
#include "workers.hpp"

namespace sluice::core {

/// scale() is renormalised when it falls below this: every 2,200 rows at lambda 0.98, 64 rows at 0.5.
constexpr double kLeastScale = 0x1p-64;

/// All stored numbers are in column units and divided by scale(): true moment = scale() * stored number.
class InputMoments {
  public:
    InputMoments(std::size_t inputs, std::size_t outputs, const StreamOptions& options);

    /// Everything learnt so far loses weight. Returns what stored numbers were multiplied by: 1, and now and then less.
    double forget();
    /// Gives new columns their units, and others a larger one where a value needs it.
    void adopt_units(std::span<const double> x, bool in_range);
    /// Adds one row: the one pass over all inputs and M (row_pass.cpp), which also finds what the step needs to know of
    /// all inputs. output_deviations: of the same row. filter: or null.
    PassSums add(const Row& row, std::span<const double> output_deviations, const PassUnits& units,
                 CandidateFilter* filter);
    /// The sums alone, by a pass that changes nothing.
    [[nodiscard]] PassSums sums(const PassUnits& units) const;
    /// D^2 of all inputs: padded p numbers. top_exponent: as in the sums.
    void input_weights(bool scale_inputs, int top_exponent, std::span<double> w) const;

    /// C_jj and the deviation h_j as they will be with a row that is about to be added.
    struct RowWeights {
        double before;  // n without the row
        double root;    // sqrt(f)
        double step;    // 1 / n with the row
    };
    struct Preview {
        double square;
        double deviation;  // M_jk will be cross(j, k) + deviation * row_weight() * output deviation
    };
    [[nodiscard]] RowWeights next_weights() const;
    [[nodiscard]] Preview preview(std::size_t j, double x, const RowWeights& weights) const;

    /// M_jk <- M_jk + amount, in stored units.
    void add_cross(std::size_t j, std::size_t k, double amount) { M_[(k * stride_) + j] += amount; }

    [[nodiscard]] std::size_t size() const noexcept { return p_; }
    [[nodiscard]] std::uint64_t rows() const noexcept { return rows_; }
    [[nodiscard]] double weight() const noexcept { return weight_; }  ///< n, the sum of lambda^age
    [[nodiscard]] double scale() const noexcept { return scale_; }
    /// What one row adds, in stored units.
    [[nodiscard]] double row_weight() const { return 1.0 / scale_; }
    [[nodiscard]] bool centered() const noexcept { return center_; }

    [[nodiscard]] const double* cross() const { return M_.data(); }  ///< M, columns cross_stride() apart
    [[nodiscard]] std::size_t cross_stride() const { return stride_; }
    [[nodiscard]] const double* cross_column(std::size_t k) const { return M_.data() + (k * stride_); }
    [[nodiscard]] double cross(std::size_t j, std::size_t k) const { return cross_column(k)[j]; }
    [[nodiscard]] double square(std::size_t j) const { return square_[j]; }  ///< C_jj
    [[nodiscard]] std::span<const double> squares() const { return square_.all(); }
    /// C. What an engine keeps at hand of it changes with what it is asked for; its numbers do not.
    [[nodiscard]] Gram& gram() const { return *gram_; }
    [[nodiscard]] Workers& workers() const { return workers_; }
    void change_engine(OwnGram gram) { gram_ = std::move(gram); }

    [[nodiscard]] const ColumnUnits& units() const { return units_; }
    [[nodiscard]] bool has_units() const { return any_units_; }          ///< false: all that are known are 1
    [[nodiscard]] double mean(std::size_t j) const { return mean_[j]; }  ///< in column units
    /// A value beyond its column's mean (beyond 0 where not centred), in column units. A missing input is at its mean.
    [[nodiscard]] double deviation(std::size_t j, double x) const {
        if (std::isnan(x)) {
            return center_ ? 0.0 : mean_[j];
        }
        constexpr double kMost = std::numeric_limits<double>::max();
        return std::clamp(x * units_.unit(j), -kMost, kMost) - (center_ ? mean_[j] : 0.0);
    }
    /// Weight of the rows in which input j was present.
    [[nodiscard]] double weight(std::size_t j) const {
        const double present = weight_ - (scale_ * gap_[j]);
        return present < kNoWeight * weight_ ? 0.0 : present;
    }
    /// Whether some input was missing in a row that still has weight.
    [[nodiscard]] bool any_gaps() const {
        return std::ranges::any_of(traits_, [](const Traits& piece) { return piece.gaps; });
    }
    /// Weighted variance about the mean (about 0 where not centred), in column units.
    [[nodiscard]] double variance(std::size_t j) const {
        const double n = center_ && gap_[j] != 0.0 ? weight(j) : weight_;
        return n > 0.0 ? scale_ * square_[j] / n : 0.0;
    }
    /// Whether the input deviates by more than what rounding leaves of its mean.
    [[nodiscard]] bool varies(std::size_t j) const {
        const double floor = center_ ? kConstant * mean_[j] : 0.0;
        if (gap_[j] == 0.0) {  // without a division
            return scale_ * square_[j] > floor * floor * weight_;
        }
        return variance(j) > floor * floor;
    }
    [[nodiscard]] std::size_t bytes() const;

  private:
    friend struct Moments;

    // A weight below this share of the whole is what rounding leaves of zero.
    static constexpr double kNoWeight = 1e-12;

    struct Entry {  // what one input's value does
        double h;
        double mean;
        double gap;
    };
    [[nodiscard]] Entry entry(std::size_t j, double x, const RowWeights& weights) const;
    void rescale_input(std::size_t j, int exponent);
    void scale_output(std::size_t k, double factor);
    void note_piece(std::size_t piece);
    void note_pieces();

    [[nodiscard]] std::size_t pieces() const { return pieces_of(p_); }
    [[nodiscard]] std::size_t piece_size(std::size_t piece) const;
    void center_piece(std::size_t piece, const Row& row, const RowWeights& weights, double* h);
    [[nodiscard]] kernels::InputSums piece_units(std::size_t piece, bool scale_inputs, int top_exponent,
                                                 double* w) const;
    double cross_piece(std::size_t piece, const double* h, const double* w, const PassUnits& units,
                       CandidateFilter* filter, std::size_t worker) const;
    void sum_piece(std::size_t piece, const double* h, const PassUnits& units, int top_exponent,
                   CandidateFilter* filter, std::size_t worker) const;
    [[nodiscard]] int top_exponent() const;
    [[nodiscard]] PassSums sum_up(int top_exponent) const;

    std::size_t p_;
    std::size_t q_;
    std::size_t stride_;
    double forgetting_;
    bool center_;

    std::uint64_t rows_ = 0;
    double weight_ = 0.0;    // n
    double scale_ = 1.0;     // lambda^t
    OwnGram gram_;           // C
    Buffer<double> square_;  // its diagonal
    Buffer<double> M_;       // by columns
    ColumnUnits units_;
    Buffer<double> mean_;  // column units
    Buffer<double> gap_;   // weight of the rows in which each input was missing

    // What a piece of the inputs has that the fast loops cannot handle.
    struct Traits {
        bool fresh = true;   // some column has shown no value but 0
        bool units = false;  // some column has a unit other than 1
        bool gaps = false;   // some input was missing and that still has weight
    };
    std::vector<Traits> traits_;
    bool any_units_ = false;

    Buffer<double> output_step_;            // what multiplies h in M
    struct alignas(kCacheLine) PieceSums {  // a line of its own: different threads write those of different pieces
        double square = 0.0;
        double trace = 0.0;
        std::size_t varying = 0;
    };
    mutable std::vector<PieceSums> piece_sums_;
    mutable Workers workers_;
};

}  // namespace sluice::core
