// pca_chart.hpp -- the usual multivariate control chart: principal components of fault-free rows, and how far a new row is from
// them. With z the row in standard deviations from its means, P the first a components and l_i the variances along them:
//
//     T2  = sum_i (z'p_i)^2 / l_i       within the components
//     SPE = |z - P P'z|^2               beside them (also called Q)
//
// Limits at a level alpha, n rows (Jackson 1991; Russell, Chiang, Braatz 2000):
//
//     T2    a (n - 1)(n + 1) / (n (n - a)) F_alpha(a, n - a)
//     SPE   t1 (c sqrt(2 t2 h^2) / t1 + 1 + t2 h (h - 1) / t1^2)^(1 / h)      (Jackson and Mudholkar 1979)
//           t_i = sum of l_j^i over the other components, h = 1 - 2 t1 t3 / (3 t2^2), c = the normal quantile
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "sluice/matrix.hpp"

namespace sluice::baselines {

struct PcaChartOptions {
    std::size_t components = 11;  ///< a; below the number of columns that vary, and of rows
    double level = 0.99;          ///< alpha, in (0, 1)
};

class PcaChart {
  public:
    /// Throws OptionError where the options do not suit these rows.
    explicit PcaChart(const Rows& rows, PcaChartOptions options = {});

    struct Distances {
        double t2 = 0.0;
        double spe = 0.0;
    };
    [[nodiscard]] Distances measure(std::span<const double> row) const;
    [[nodiscard]] const Distances& limits() const noexcept { return limits_; }

  private:
    std::size_t width_;
    std::size_t components_;
    std::vector<double> mean_;
    std::vector<double> unit_;       // 1 / deviation; 0 for a column that does not vary
    std::vector<double> direction_;  // P, one component after the other
    std::vector<double> variance_;   // l of the first components
    Distances limits_;
};

/// An alarm is raised by the last of this number of consecutive rows beyond a limit; six are usual.
class ConsecutiveRule {
  public:
    explicit ConsecutiveRule(std::size_t rows) : rows_(rows) {}
    [[nodiscard]] bool add(bool beyond) {
        run_ = beyond ? run_ + 1 : 0;
        return run_ == rows_;
    }

  private:
    std::size_t rows_;
    std::size_t run_ = 0;
};

}  // namespace sluice::baselines
