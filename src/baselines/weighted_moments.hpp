// weighted_moments.hpp -- means and second moments of a stream, older rows weighing less.
//
//     n_t = lambda n_{t-1} + 1
//     m_t = m_{t-1} + d_t / n_t,                        d_t = x_t - m_{t-1},   and likewise h, e of the outputs
//     C_t = lambda C_{t-1} + (1 - 1 / n_t) d_t' d_t     = sum_s lambda^(t-s) (x_s - m_t)' (x_s - m_t)
//     M_t = lambda M_{t-1} + (1 - 1 / n_t) d_t' e_t
//
//   code      size    meaning
//   lambda    1       forgetting factor
//   n         1       weight: the number of rows that count
//   m, h      p, q    means of inputs and outputs, in the caller's units
//   C, M      p x p   second moments, each column in its own unit, a power of two; the lower triangle of C
//   S         q       the outputs' own sums of squares
//   d         p       1 / sqrt(C_jj), and 0 where input j does not vary; 1 / sqrt(S_k) likewise
//
// What methods solve with are correlations: R = D C D and r = D M E, free of units, with ones on the diagonal of R. A
// column is taken for constant where its deviations are the rounding of its mean.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sluice/matrix.hpp"

namespace sluice::baselines {

class WeightedMoments {
  public:
    /// forgetting: 0.5 to 1.
    WeightedMoments(std::size_t inputs, std::size_t outputs, double forgetting);

    /// NaN only where no value of the column is known yet: until then it counts as its first value.
    void add(std::span<const double> x, std::span<const double> y);

    [[nodiscard]] std::size_t inputs() const noexcept { return m_.size(); }
    [[nodiscard]] std::size_t outputs() const noexcept { return h_.size(); }
    [[nodiscard]] double weight() const noexcept { return n_; }
    [[nodiscard]] std::size_t bytes() const noexcept;

    [[nodiscard]] bool output_known(std::size_t k) const { return y_known_[k] != 0; }  ///< a value was there
    [[nodiscard]] double input_mean(std::size_t j) const { return m_[j]; }
    [[nodiscard]] double output_mean(std::size_t k) const { return h_[k]; }
    /// What one unit of a deviation of input j is in units of its standard deviation times sqrt(n); 0 where constant.
    [[nodiscard]] double input_scale(std::size_t j) const { return d_[j]; }
    [[nodiscard]] double output_scale(std::size_t k) const { return e_[k]; }
    [[nodiscard]] double input_unit(std::size_t j) const { return x_unit_[j]; }
    [[nodiscard]] double output_unit(std::size_t k) const { return y_unit_[k]; }

    /// R_jj: 1, or 0 where input j does not vary.
    [[nodiscard]] double correlation_square(std::size_t j) const { return d_[j] > 0.0 ? 1.0 : 0.0; }
    /// Column j of R.
    void correlations(std::size_t j, std::span<double> column) const;
    /// The lower triangle of R, p x p column by column.
    void lower_correlations(std::span<double> R) const;
    /// Column k of r: how each input correlates with output k.
    void output_correlations(std::size_t k, std::span<double> r) const;

  private:
    void adopt_units(std::span<const double> x, std::span<const double> y);
    void drop_forgotten();
    void refresh_scales();

    double lambda_;
    double n_ = 0.0;
    std::uint64_t rows_ = 0;
    std::vector<double> m_, h_;
    std::vector<double> x_unit_, y_unit_;  // 0 before the first value that is not zero
    std::vector<char> x_known_, y_known_;  // a value was there
    std::vector<double> C_;                // p x p, column by column, lower triangle
    std::vector<double> M_;                // p x q, column by column
    std::vector<double> S_;
    std::vector<double> d_, e_;
    std::vector<double> x_step_, y_step_;  // deviations of the row, in units
};

}  // namespace sluice::baselines
