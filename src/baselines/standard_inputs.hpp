// standard_inputs.hpp -- inputs as deviations from a running mean, in running standard deviations.
//
//     e = x - m,    m <- m + g e,    s <- sqrt((1 - g) (s^2 + g e^2))          z = (x - m) / s
//
//   code   size   meaning
//   g      1      gain: the share of the new row in the mean. 1 / n: all rows count alike
//   m, s   p      running mean and standard deviation, in the caller's units
//   z      p      standard inputs: 0 where an input does not vary, at most kMostDeviations in size
//   carry  p      s before / s after: what was summed up in z of earlier rows, times this, is in z of today
//
// s is a root, never a square, so that inputs of size 1e-150 or 1e150 are like those of size 1. A missing input counts as
// the last value seen of it, and as 0 = its mean before any.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "row_intake.hpp"

namespace sluice::baselines {

class StandardInputs {
  public:
    /// z is moved to within this many deviations, as StreamOptions::clip does for Sluice's own models.
    static constexpr double kMostDeviations = 5.0;

    explicit StandardInputs(std::size_t inputs);

    /// gain: above 0 and at most 1. The first value of an input is its mean.
    void add(std::span<const double> x, double gain);
    /// Only updates the last values seen.
    void see(std::span<const double> x) { last_.see(x); }

    [[nodiscard]] std::size_t size() const noexcept { return m_.size(); }
    /// The row added last, by the means and deviations that it left.
    [[nodiscard]] std::span<const double> row() const noexcept { return z_; }
    [[nodiscard]] std::span<const double> carry() const noexcept { return carry_; }
    /// z of one input of another row. Changes nothing.
    [[nodiscard]] double standard(std::span<const double> x, std::size_t j) const;
    /// 1 / s, and 0 where the input does not vary: turns coefficients of z into coefficients of x.
    [[nodiscard]] double scale(std::size_t j) const;
    [[nodiscard]] std::size_t bytes() const noexcept { return (5 * m_.size() * sizeof(double)) + m_.size(); }

  private:
    LastSeen last_;
    std::vector<char> known_;  // a value was seen
    std::vector<double> m_;
    std::vector<double> s_;
    std::vector<double> z_;
    std::vector<double> carry_;
};

}  // namespace sluice::baselines
