// change_point.hpp -- whether, and where, a run of errors jumped.
//
//     L(k) = n log s - k log s_before - (n - k) log s_after        s: mean square of all, of the first k, of the rest
//
// is twice the gain in log-likelihood of two variances over one. The k with the largest gain is the place of the jump.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace sluice::tune {

class ChangePoint {
  public:
    explicit ChangePoint(std::size_t most) { sums_.reserve(most + 1); }
    /// The first place after the jump; none where there is no clear one. squares: squared errors, oldest first.
    [[nodiscard]] std::optional<std::size_t> find(std::span<const double> squares);

  private:
    std::vector<double> sums_;
};

}  // namespace sluice::tune
