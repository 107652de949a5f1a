// moments.hpp -- what the stream has shown so far: weighted second moments of inputs and outputs.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "buffer.hpp"
#include "gram.hpp"
#include "kernels.hpp"
#include "sluice/options.hpp"
#include "workers.hpp"

namespace sluice::core {

class StateReader;
class StateWriter;

/// A pass over all inputs is made in pieces of so many; sums are made of each piece and added in order.
constexpr std::size_t kPiece = 512;

/// Directions that a pass over M watches: it notes the inputs that may weigh at least so much along them.
struct Watch {
    Watch(std::size_t directions, std::size_t outputs, std::size_t most, std::size_t workers);

    std::vector<double> g;             // E_k g_rk, directions x outputs by rows
    std::vector<double> least_square;  // of each direction
    std::vector<double> bound_square;  // |C_i u| <= bound sqrt(C_ii), in the units of least
    std::size_t room;                  // most hits of one direction

    void clear();
    /// All inputs noted for a direction, ascending; more than `room`: there was not enough room.
    [[nodiscard]] std::size_t count(std::size_t direction) const;
    void hits(std::size_t direction, std::vector<std::size_t>& into) const;

  private:
    friend class Moments;
    struct Notes {
        std::vector<std::vector<std::uint32_t>> hits;
        std::vector<std::uint32_t*> places;
        std::vector<std::size_t> counts;
    };
    std::vector<Notes> by_worker_;
};

/// What a pass over all inputs finds, where C~ = D C D and M~ = D M E are the moments in working units.
struct Survey {
    bool scale_inputs = false;  // which D is meant, see working.cpp
    std::span<const double> e;  // E

    double input_trace = 0.0;   // tr(C~)
    double cross_square = 0.0;  // sum of squares of M~
    std::size_t varying = 0;    // inputs that vary
    int top_exponent = 0;       // the largest of theirs
};

/// Weighted moments of a stream of p inputs and q outputs. All stored numbers are in column units: each column is
/// multiplied by its own power of two, so that squares of 1e150 or 1e-150 neither overflow nor vanish.
class Moments {
  public:
    Moments(std::size_t inputs, std::size_t outputs, const StreamOptions& options);

    /// What was learnt so far loses weight. Comes before each row.
    void forget();

    /// Takes in one row. x: NaN counts as the column's mean. y: NaN where an output is not known; `observed[k]` is 0
    /// where y[k] was filled in by the caller, so that it does not count for the output's variance.
    void add(std::span<const double> x, std::span<const double> y, std::span<const unsigned char> observed);

    /// The same in two halves: the outputs first, so that it is known what to look for in the pass over the inputs.
    /// tame: all of x lies within +-kTame.
    void begin(std::span<const double> x, std::span<const double> y, std::span<const unsigned char> observed,
               bool tame);
    void finish(Survey& survey, Watch* watch);
    static constexpr double kTame = 0x1p64;
    [[nodiscard]] bool between_halves() const { return !row_.empty(); }

    /// Between the halves: C_jj and M_j as they will be.
    struct Preview {
        double square;
        double deviation;  // M_jk will be cross(j, k) + deviation * output_step(k)
    };
    [[nodiscard]] Preview preview(std::size_t j) const;
    [[nodiscard]] double output_step(std::size_t k) const { return dy_[k]; }

    /// A pass that changes nothing.
    void look(Survey& survey, Watch* watch) const;
    /// D^2 of all inputs: padded p numbers.
    void input_weights(const Survey& survey, std::span<double> w) const;

    /// M_jk <- M_jk + amount, in stored units.
    void add_cross(std::size_t j, std::size_t k, double amount) { M_[(k * stride_) + j] += amount; }

    /// Joins the moments of the rows that came right after ours, in the same units as one pass over all rows.
    void append(const Moments& later);

    [[nodiscard]] std::size_t inputs() const noexcept { return p_; }
    [[nodiscard]] std::size_t outputs() const noexcept { return q_; }
    [[nodiscard]] std::uint64_t rows() const noexcept { return rows_; }
    [[nodiscard]] double weight() const noexcept { return weight_; }
    [[nodiscard]] bool centered() const noexcept { return center_; }

    // The true moment is scale() times the stored number, in column units.
    [[nodiscard]] double scale() const noexcept { return scale_; }
    [[nodiscard]] const double* cross() const { return M_.data(); }  ///< M, columns cross_stride() apart
    [[nodiscard]] std::size_t cross_stride() const { return stride_; }
    [[nodiscard]] double cross(std::size_t j, std::size_t k) const { return M_[(k * stride_) + j]; }
    [[nodiscard]] double input_square(std::size_t j) const { return square_[j]; }  ///< C_jj
    [[nodiscard]] std::span<const double> input_squares() const { return square_.all(); }
    [[nodiscard]] Gram& gram() const { return *gram_; }  ///< C
    [[nodiscard]] Workers& workers() const { return workers_; }
    void change_engine(OwnGram gram) { gram_ = std::move(gram); }

    // Column units: value in column units = caller's value * 2^-exponent.
    [[nodiscard]] bool has_units() const { return any_units_; }  ///< false: all that are known are 1
    [[nodiscard]] int input_exponent(std::size_t j) const { return x_.exponent[j]; }
    [[nodiscard]] int output_exponent(std::size_t k) const { return y_.exponent[k]; }
    [[nodiscard]] double input_mean(std::size_t j) const { return x_.mean[j]; }
    [[nodiscard]] double output_mean(std::size_t k) const { return y_.mean[k]; }

    [[nodiscard]] double input_in_callers_units(std::size_t j, double value) const;
    [[nodiscard]] double output_in_callers_units(std::size_t k, double value) const;
    /// A value beyond its column's mean (beyond 0 where not centred), in column units. A missing input is at its mean.
    [[nodiscard]] double input_deviation(std::size_t j, double x) const {
        if (std::isnan(x)) {
            return center_ ? 0.0 : x_.mean[j];
        }
        constexpr double kMost = std::numeric_limits<double>::max();
        return std::clamp(x * x_.unit[j], -kMost, kMost) - (center_ ? x_.mean[j] : 0.0);
    }
    [[nodiscard]] double output_deviation(std::size_t k, double y) const;

    /// Weight of the rows in which input j was there.
    [[nodiscard]] double input_weight(std::size_t j) const {
        const double present = weight_ - (scale_ * gap_[j]);
        return present < kNoWeight * weight_ ? 0.0 : present;
    }
    /// Weight of the rows since output k was first there; 0: never yet.
    [[nodiscard]] double output_weight(std::size_t k) const { return output_weight_[k]; }
    /// Weighted variance of each column about its mean (about 0 where not centred), in column units.
    [[nodiscard]] double input_variance(std::size_t j) const {
        const double n = center_ && gap_[j] != 0.0 ? input_weight(j) : weight_;
        return n > 0.0 ? scale_ * square_[j] / n : 0.0;
    }
    [[nodiscard]] double output_variance(std::size_t k) const;
    /// Whether a column's deviation is more than what rounding leaves of a mean.
    [[nodiscard]] bool input_varies(std::size_t j) const {
        if (gap_[j] == 0.0) {  // without a division
            const double floor = center_ ? kConstant * x_.mean[j] : 0.0;
            return scale_ * square_[j] > floor * floor * weight_;
        }
        return varies(input_variance(j), x_.mean[j]);
    }
    [[nodiscard]] bool output_varies(std::size_t k) const { return varies(output_variance(k), y_.mean[k]); }

    [[nodiscard]] std::size_t bytes() const;
    void save(StateWriter& out) const;
    void load(StateReader& in);

  private:
    struct Columns {
        explicit Columns(std::size_t size);
        std::vector<int> exponent;
        Buffer<double> unit;  // 2^-exponent
        Buffer<double> mean;  // column units
    };
    struct Entry {  // what one input's value does
        double h;
        double mean;
        double gap;
    };

    // A weight below this share of the whole is what rounding leaves of zero.
    static constexpr double kNoWeight = 1e-12;
    // A column whose standard deviation is below this share of its mean is constant: a mean that forgets 1/(1 - lambda)
    // rows is known to about 1e-16 / (1 - lambda), and the rest would be rounding scaled up to unit variance.
    static constexpr double kConstant = 1e-12;

    [[nodiscard]] bool varies(double variance, double mean) const {
        const double floor = center_ ? kConstant * mean : 0.0;
        return variance > floor * floor;
    }
    [[nodiscard]] double row_weight() const { return 1.0 / scale_; }
    [[nodiscard]] double enter(Columns& columns, std::size_t column, double value, bool is_input);
    void rescale_input(std::size_t j, int exponent);
    void rescale_output(std::size_t k, int exponent);
    void settle_units(std::span<const double> x, bool tame);
    void note_piece(std::size_t piece);
    void center_outputs(std::span<const double> y, std::span<const unsigned char> observed);
    [[nodiscard]] Entry entry(std::size_t j, double x) const;

    [[nodiscard]] std::size_t pieces() const { return (p_ + kPiece - 1) / kPiece; }
    [[nodiscard]] std::size_t piece_size(std::size_t piece) const;
    void center_piece(std::size_t piece, double* h);
    [[nodiscard]] kernels::InputSums piece_units(std::size_t piece, const Survey& survey, double* w) const;
    double cross_piece(std::size_t piece, const double* h, const double* w, const Survey& survey, Watch* watch,
                       std::size_t worker) const;
    [[nodiscard]] int top_exponent() const;
    void sum_up(Survey& survey) const;

    std::size_t p_;
    std::size_t q_;
    std::size_t stride_;
    double forgetting_;
    bool center_;

    std::uint64_t rows_ = 0;
    double weight_ = 0.0;  // n
    double scale_ = 1.0;   // C = scale_ * C_, M = scale_ * M_, gaps = scale_ * gap_
    OwnGram gram_;
    Buffer<double> square_;     // the diagonal of C
    mutable Buffer<double> M_;  // by columns; mutable: the kernel that may change it also only looks
    Columns x_;
    Columns y_;
    Buffer<double> gap_;                   // weight of the rows in which each input was missing
    std::vector<double> output_weight_;    // n_k
    std::vector<double> output_squares_;   // of the observed outputs, on each output's own clock
    std::vector<double> observed_weight_;  // the weight that belongs to output_squares_
    std::vector<std::uint64_t> observed_rows_;

    // What a piece has that the fast loops cannot take.
    struct Traits {
        bool fresh = true;   // some column has shown no value but 0
        bool units = false;  // some column has a unit other than 1
        bool gaps = false;   // some input was missing and still is felt
    };
    std::vector<Traits> traits_;
    bool any_units_ = false;

    // The row between begin() and finish().
    std::span<const double> row_;
    bool tame_ = false;
    double before_ = 0.0;  // n without the row
    double root_ = 0.0;
    double step_ = 0.0;
    Buffer<double> dy_;  // what multiplies h in M
    Buffer<double> tail_;
    mutable std::vector<double> piece_square_;  // sums of each piece
    mutable std::vector<double> piece_trace_;
    mutable std::vector<std::size_t> piece_varying_;
    mutable Workers workers_;
};

}  // namespace sluice::core
