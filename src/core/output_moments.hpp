// output_moments.hpp -- weighted means and variances of the outputs, each on its own clock.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "column_units.hpp"
#include "sluice/options.hpp"

namespace sluice::core {

class StateReader;
class StateWriter;
struct Moments;

/// A column whose standard deviation is below this share of its mean is constant: a mean that forgets 1/(1 - lambda) rows
/// is known to about 1e-16 / (1 - lambda), and the rest would be rounding scaled up to unit variance.
constexpr double kConstant = 1e-12;

class OutputMoments {
  public:
    OutputMoments(std::size_t outputs, const StreamOptions& options);

    void forget();
    /// Adds the outputs of one row, whose units serve already (Moments::adopt_units). NaN: nothing is known of the output.
    /// `observed[k]` is 0 where y[k] was filled in: it moves the mean and does not count for the variance.
    void add(std::span<const double> y, std::span<const unsigned char> observed);

    [[nodiscard]] std::size_t size() const noexcept { return weight_.size(); }
    /// sqrt(f) e of the last row, what M's column k gains per h (input_moments.cpp).
    [[nodiscard]] std::span<const double> deviations() const { return deviation_; }

    [[nodiscard]] const ColumnUnits& units() const { return units_; }
    [[nodiscard]] double mean(std::size_t k) const { return mean_[k]; }  ///< in column units
    /// Weight of the rows since output k was first observed; 0: never yet.
    [[nodiscard]] double weight(std::size_t k) const { return weight_[k]; }
    /// Weighted variance about the mean (about 0 where not centred), in column units.
    [[nodiscard]] double variance(std::size_t k) const {
        return observed_weight_[k] > 0.0 ? squares_[k] / observed_weight_[k] : 0.0;
    }
    /// Whether the output deviates by more than what rounding leaves of its mean.
    [[nodiscard]] bool varies(std::size_t k) const {
        const double floor = center_ ? kConstant * mean_[k] : 0.0;
        return variance(k) > floor * floor;
    }
    /// A value beyond its mean (beyond 0 where not centred), in column units; 0 where it is missing.
    [[nodiscard]] double deviation(std::size_t k, double y) const {
        return std::isnan(y) ? 0.0 : (y * units_.unit(k)) - (center_ ? mean_[k] : 0.0);
    }

  private:
    friend struct Moments;
    /// The column takes this exponent; returns the factor by which its column of M must be multiplied.
    double rescale(std::size_t k, int exponent);

    double forgetting_;
    bool center_;
    ColumnUnits units_;
    std::vector<double> mean_;             // column units
    std::vector<double> weight_;           // n_k
    std::vector<double> squares_;          // of the observed values, on each output's own clock
    std::vector<double> observed_weight_;  // the weight that belongs to squares_
    std::vector<std::uint64_t> observed_rows_;
    std::vector<double> deviation_;
};

}  // namespace sluice::core
