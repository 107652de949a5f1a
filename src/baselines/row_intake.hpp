// row_intake.hpp -- checks a row and fills its gaps, as the model does.
//
// A missing number is NaN. A missing input counts as the last value seen of it, 0 before any. Infinities, and numbers whose
// squares would overflow, are refused with the name of their column.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace sluice::baselines {

/// Throws DataError unless there are `width` numbers, each NaN or of size 1e150 at most.
void check_row(std::span<const double> values, std::size_t width, const char* name);

/// True where at least one number is not missing.
[[nodiscard]] bool any_there(std::span<const double> values);

class LastSeen {
  public:
    explicit LastSeen(std::size_t inputs) : last_(inputs, 0.0) {}

    /// x with its gaps filled in. Changes nothing.
    [[nodiscard]] double fill(std::span<const double> x, std::size_t j) const {
        return std::isnan(x[j]) ? last_[j] : x[j];
    }
    void see(std::span<const double> x);
    [[nodiscard]] std::span<const double> values() const noexcept { return last_; }  ///< after see(x): x, filled in

  private:
    std::vector<double> last_;
};

}  // namespace sluice::baselines
