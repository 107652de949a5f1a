// latent_methods.hpp -- methods with latent components as methods of the table: PLS and principal components.
#pragma once

#include <span>

#include "methods.hpp"

namespace sluice::baselines {

[[nodiscard]] std::span<const MethodEntry> latent_methods();

}  // namespace sluice::baselines
