// score.hpp -- the error of predictions that were made before learning.
#pragma once

#include <cstddef>

namespace sluice {

/// One output's errors, one step ahead. A missing observation is ignored.
class Score {
  public:
    void add(double observed, double predicted);

    [[nodiscard]] std::size_t count() const noexcept { return sums_.count; }
    /// Mean squared error over the variance of the observed values: 1 is the mean known in hindsight, 0 is perfect.
    /// NaN before two observations that differ.
    [[nodiscard]] double error_over_variance() const;
    [[nodiscard]] double r2() const { return 1.0 - error_over_variance(); }
    /// Root mean squared error, in the output's unit. NaN before the first observation.
    [[nodiscard]] double rmse() const;
    /// Standard deviation of the observed values, in their unit: the rmse of the mean known in hindsight. NaN before the
    /// first observation.
    [[nodiscard]] double deviation() const;

    /// The whole state of a score, to be saved and restored. Values are counted in units of 2^exponent; the exponent is 0
    /// unless their squares would be too large or too small.
    struct Sums {
        std::size_t count = 0;
        double mean = 0.0;
        double spread = 0.0;  ///< sum of squared deviations from the mean
        double error = 0.0;   ///< sum of squared errors
        int exponent = 0;     ///< -1000 to 1000
    };
    [[nodiscard]] const Sums& sums() const noexcept { return sums_; }
    void restore(const Sums& sums) noexcept { sums_ = sums; }

  private:
    void fit_unit_to(double size);

    Sums sums_;
};

}  // namespace sluice
