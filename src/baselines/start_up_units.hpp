// start_up_units.hpp -- centres and units of columns, from the first rows of a stream and fixed from then on.
//
//     z_j = (x_j - c_j) / u_j          c_j, u_j: mean and standard deviation of the known values of the first rows
//
// A column that did not vary takes its own size for the unit, or 1 where it was 0 or never there.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace sluice::baselines {

class StartUpUnits {
  public:
    explicit StartUpUnits(std::size_t columns) : centre_(columns, 0.0), unit_(columns, 1.0) {}

    /// Rows of `width` numbers, the columns from `first` on; NaN where missing.
    void set(std::span<const double> rows, std::size_t width, std::size_t first);

    [[nodiscard]] std::size_t size() const noexcept { return unit_.size(); }
    [[nodiscard]] double centre(std::size_t j) const { return centre_[j]; }
    [[nodiscard]] double unit(std::size_t j) const { return unit_[j]; }
    /// At most 1e100 in size, however far the value is from the first rows. NaN stays NaN.
    [[nodiscard]] double standardised(double value, std::size_t j) const;

  private:
    std::vector<double> centre_;
    std::vector<double> unit_;
};

}  // namespace sluice::baselines
