// score.hpp -- how well predictions made before learning came true.
#pragma once

#include <cstddef>

namespace sluice {

/// One output's errors, one step ahead. A missing observation is passed over.
class Score {
  public:
    void add(double observed, double predicted);

    [[nodiscard]] std::size_t count() const noexcept { return count_; }
    /// Mean squared error over the variance of the observed values: 1 is the mean known in hindsight, 0 is perfect.
    /// NaN before two observations that differ.
    [[nodiscard]] double error_over_variance() const;
    [[nodiscard]] double r2() const { return 1.0 - error_over_variance(); }

  private:
    std::size_t count_ = 0;
    double mean_ = 0.0;
    double spread_ = 0.0;  // sum of squared deviations from the mean
    double error_ = 0.0;   // sum of squared errors
};

}  // namespace sluice
