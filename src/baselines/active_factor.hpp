// active_factor.hpp -- the Cholesky factor of the Gram matrix of a few variables that are added and removed.
//
//     G_AA = L L'
//
// A variable joins with one row of L, |A|^2 / 2 operations; it leaves with |A|^2 operations, by rotations.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace sluice::baselines {

class ActiveFactor {
  public:
    [[nodiscard]] std::size_t size() const noexcept { return rows_.size(); }

    /// Adds a variable: its products with those present, in their order, and its own square. False, and nothing
    /// changes, where the part that the present ones do not explain is below `least_share` of its square.
    [[nodiscard]] bool join(std::span<const double> products, double square, double least_share);

    /// Removes the variable at this place; those after it move up by one.
    void leave(std::size_t place);

    /// v <- (L L')^-1 v
    void solve(std::span<double> v) const;

  private:
    std::vector<std::vector<double>> rows_;  // row i of L: i + 1 numbers
};

}  // namespace sluice::baselines
