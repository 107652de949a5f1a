// stationary.hpp -- streams in which nothing changes, so that every alarm is false.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "experiments/alarms/detectors.hpp"

namespace sluice::experiments {

enum class Noise { normal, heavy, autocorrelated };
inline constexpr std::array<std::string_view, 3> kNoiseNames = {"normal", "Student's t(3)", "AR(0.9)"};

inline constexpr std::size_t kStationaryInputs = 10;

/// y = 2 x1 - x2 + x3 / 2 + e, where half of the variance is e's. Inputs and e are independent, of this kind.
[[nodiscard]] AlarmStream stationary_stream(Noise noise, std::size_t rows, std::uint64_t seed);

}  // namespace sluice::experiments
