// fit_state.hpp -- the section "fit" of a model file: a fitted model without its scores.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "sluice/model_file.hpp"

namespace sluice::file {

[[nodiscard]] std::vector<std::byte> fit_section(const FittedModel& fitted);
/// Throws StateError.
[[nodiscard]] FittedModel read_fit(std::span<const std::byte> section, std::size_t inputs, std::size_t outputs);

}  // namespace sluice::file
