// hold_bonus.hpp -- variables that are already selected stay more easily.
//
// A bonus b multiplies the direction's entries of held variables before the threshold and divides the weights after it, so
//     u_j = sign(z_j) max(|z_j| - gamma / (1 + b), 0)      for these,       max(|z_j| - gamma, 0) for the others:
// eq. (19) with a lower threshold for what is already selected.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "sluice/options.hpp"
#include "subspace.hpp"

namespace sluice::core {

class HoldBonus {
  public:
    HoldBonus(std::size_t inputs, const StreamOptions& options);

    /// With refit: the variables that the model has selected, ascending. Otherwise each component holds its own.
    void set_held(std::span<const std::size_t> held) { held_.assign(held.begin(), held.end()); }
    /// Whether the direction of the component was changed.
    bool apply(const Component& component, std::span<double> direction);
    /// After the threshold: the weights without the bonus, of unit length again.
    void remove(Component& component) const;

  private:
    double factor_;  // 1 + b
    bool each_component_;
    std::vector<std::size_t> held_;  // ascending
};

}  // namespace sluice::core
