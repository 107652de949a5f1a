// moment_predictor.hpp -- a linear predictor on weighted moments: what ridge, the on-line lasso and on-line LARS share.
//
//     y_k = h_k + sum_j (x_j - m_j) b_jk
//
// The method gives b in standard units (correlations in, coefficients of standardised inputs out) whenever it has solved.
// Gaps: a missing input counts as its last value, a missing output as what was predicted for it.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "row_intake.hpp"
#include "sluice/matrix.hpp"
#include "weighted_moments.hpp"

namespace sluice::baselines {

class MomentPredictor {
  public:
    MomentPredictor(std::size_t inputs, std::size_t outputs, double forgetting);

    void predict(std::span<const double> x, std::span<double> y) const;
    /// Adds the row to the moments. False where no output is there: then only the last values are updated.
    [[nodiscard]] bool learn(std::span<const double> x, std::span<const double> y);
    /// Coefficients of output k, of inputs and output in standard units; they replace those before.
    void set_coefficients(std::size_t k, std::span<const double> standardised);

    [[nodiscard]] const WeightedMoments& moments() const noexcept { return moments_; }
    [[nodiscard]] Matrix coefficients() const;  ///< inputs x outputs, in the caller's units
    [[nodiscard]] std::size_t bytes() const noexcept;

  private:
    WeightedMoments moments_;
    LastSeen last_;
    std::vector<char> seen_;                        // inputs of which a value was seen
    std::vector<std::vector<std::size_t>> active_;  // by output: where b is not zero
    std::vector<std::vector<double>> b_;            // of the active, in units of the moments
    std::vector<std::vector<double>> per_;          // unit of each active input when b was set
    std::vector<double> of_;                        // unit of each output when b was set
    std::vector<double> row_, filled_;
};

}  // namespace sluice::baselines
