// moments.hpp -- what the stream has shown so far: weighted second moments of inputs and outputs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sluice::core {

class StateReader;
class StateWriter;

/// Weighted moments of a stream of p inputs and q outputs. All stored numbers are in column units: each column is
/// multiplied by its own power of two, so that squares of 1e150 or 1e-150 neither overflow nor vanish.
class Moments {
  public:
    Moments(std::size_t inputs, std::size_t outputs, double forgetting, bool center);

    /// What was learnt so far loses weight. Comes before each add().
    void forget();

    /// Takes in one row. x: NaN counts as the column's mean. y: NaN where an output is not known; `observed[k]` is 0
    /// where y[k] was filled in by the caller, so that it does not count for the output's variance.
    void add(std::span<const double> x, std::span<const double> y, std::span<const unsigned char> observed);

    /// M_jk <- M_jk + amount, in stored units.
    void add_cross(std::size_t j, std::size_t k, double amount) { M_[(k * p_) + j] += amount; }

    /// Joins the moments of the rows that came right after ours, in the same units as one pass over all rows.
    void append(const Moments& later);

    [[nodiscard]] std::size_t inputs() const noexcept { return p_; }
    [[nodiscard]] std::size_t outputs() const noexcept { return q_; }
    [[nodiscard]] std::uint64_t rows() const noexcept { return rows_; }
    [[nodiscard]] double weight() const noexcept { return weight_; }
    [[nodiscard]] bool centered() const noexcept { return center_; }

    // The true moment is scale() times the stored number, in column units.
    [[nodiscard]] double scale() const noexcept { return scale_; }
    [[nodiscard]] std::span<const double> input_column(std::size_t j) const { return {C_.data() + (j * p_), p_}; }
    [[nodiscard]] std::span<const double> cross_column(std::size_t k) const { return {M_.data() + (k * p_), p_}; }
    [[nodiscard]] double input_square(std::size_t j) const { return C_[(j * p_) + j]; }

    // Column units: value in column units = caller's value * 2^-exponent.
    [[nodiscard]] int input_exponent(std::size_t j) const { return x_.exponent[j]; }
    [[nodiscard]] int output_exponent(std::size_t k) const { return y_.exponent[k]; }
    [[nodiscard]] double input_mean(std::size_t j) const { return x_.mean[j]; }
    [[nodiscard]] double output_mean(std::size_t k) const { return y_.mean[k]; }

    [[nodiscard]] double input_in_callers_units(std::size_t j, double value) const;
    [[nodiscard]] double output_in_callers_units(std::size_t k, double value) const;
    /// A value beyond its column's mean (beyond 0 where not centred), in column units. A missing input is at its mean.
    [[nodiscard]] double input_deviation(std::size_t j, double x) const;
    [[nodiscard]] double output_deviation(std::size_t k, double y) const;

    /// Weight of the rows in which input j was there.
    [[nodiscard]] double input_weight(std::size_t j) const;
    /// Weight of the rows since output k was first there; 0: never yet.
    [[nodiscard]] double output_weight(std::size_t k) const { return output_weight_[k]; }
    /// Weighted variance of each column about its mean (about 0 where not centred), in column units.
    [[nodiscard]] double input_variance(std::size_t j) const;
    [[nodiscard]] double output_variance(std::size_t k) const;

    void save(StateWriter& out) const;
    void load(StateReader& in);

  private:
    struct Columns {
        std::vector<int> exponent;
        std::vector<double> unit;  // 2^-exponent
        std::vector<double> mean;  // column units
    };

    [[nodiscard]] double enter(Columns& columns, std::size_t column, double value, bool is_input);
    void rescale_input(std::size_t j, int exponent);
    void rescale_output(std::size_t k, int exponent);
    void center_inputs(std::span<const double> x);
    void center_outputs(std::span<const double> y, std::span<const unsigned char> observed);

    std::size_t p_;
    std::size_t q_;
    double forgetting_;
    bool center_;

    std::uint64_t rows_ = 0;
    double weight_ = 0.0;  // n
    double scale_ = 1.0;   // C = scale_ * C_, M = scale_ * M_, gaps = scale_ * gap_
    std::vector<double> C_;
    std::vector<double> M_;
    Columns x_;
    Columns y_;
    std::vector<double> gap_;              // weight of the rows in which each input was missing
    std::vector<double> output_weight_;    // n_k
    std::vector<double> output_squares_;   // of the observed outputs, on each output's own clock
    std::vector<double> observed_weight_;  // the weight that belongs to output_squares_
    std::vector<std::uint64_t> observed_rows_;
    std::vector<double> dx_;  // this row's rank-one factors
    std::vector<double> dy_;
};

}  // namespace sluice::core
