// predictor.hpp -- from coefficients in working units to predictions in the caller's units.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>

#include "moments.hpp"
#include "working_units.hpp"

namespace sluice::core {

/// y = mean + x beta. A view: the moments and units must stay as they are.
class Predictor {
  public:
    /// clip: inputs further than this number of standard deviations from their mean are moved to that bound.
    Predictor(const Moments& moments, const WorkingUnits& units, std::optional<double> clip)
        : moments_(moments), units_(units), clip_(clip) {}

    /// beta: selected.size() x q by columns.
    void predict(std::span<const std::size_t> selected, std::span<const double> beta, std::span<const double> x,
                 std::span<double> y) const;

    /// beta of one selected variable in the caller's units.
    [[nodiscard]] double coefficient(std::size_t input, std::size_t output, double beta) const;
    /// What is predicted for an output where all selected inputs are zero, in the caller's units. beta: of this output.
    [[nodiscard]] double intercept(std::span<const std::size_t> selected, std::span<const double> beta,
                                   std::size_t output) const;

    /// What an input deviates from its mean, within the clip.
    [[nodiscard]] double clipped_deviation(std::size_t j, double x) const {
        const double deviation = moments_.inputs.deviation(j, x);
        if (!clip_) {
            return deviation;
        }
        const double bound = *clip_ * std::sqrt(moments_.inputs.variance(j));
        return std::clamp(deviation, -bound, bound);
    }

  private:
    template <bool kPlain>
    void add_up(std::span<const std::size_t> selected, std::span<const double> betas, std::span<const double> x,
                std::span<double> y) const;

    const Moments& moments_;
    const WorkingUnits& units_;
    std::optional<double> clip_;
};

}  // namespace sluice::core
