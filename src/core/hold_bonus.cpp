#include "hold_bonus.hpp"

#include <algorithm>
#include <cmath>

namespace sluice::core {

HoldBonus::HoldBonus(std::size_t inputs, const StreamOptions& options)
    : factor_(1.0 + options.hold_bonus),
      each_component_(options.hold_bonus > 0.0 && options.deflation != Deflation::refit) {
    held_.reserve(options.hold_bonus > 0.0 ? inputs : 0);
}

bool HoldBonus::apply(const Component& component, std::span<double> direction) {
    if (each_component_) {
        held_ = component.support;
    }
    for (const std::size_t j : held_) {
        direction[j] *= factor_;
    }
    return !held_.empty();
}

void HoldBonus::remove(Component& component) const {
    if (held_.empty()) {
        return;
    }
    double square = 0.0;
    for (const std::size_t j : component.support) {
        if (std::ranges::binary_search(held_, j)) {
            component.u[j] /= factor_;
        }
        square += component.u[j] * component.u[j];
    }
    const double length = std::sqrt(square);
    for (const std::size_t j : component.support) {
        component.u[j] /= length;
    }
}

}  // namespace sluice::core
