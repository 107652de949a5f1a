#include "row_intake.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "sluice/error.hpp"

namespace sluice::baselines {

void check_row(std::span<const double> values, std::size_t width, const char* name) {
    constexpr double largest = 1e150;
    if (values.size() != width) {
        throw DataError(fmt::format("{} has {} numbers: must have {}", name, values.size(), width));
    }
    for (std::size_t j = 0; j < width; ++j) {
        if (std::abs(values[j]) > largest) {
            throw DataError(fmt::format("{}[{}] is {}: must be finite and at most 1e150, or NaN where missing", name, j,
                                        values[j]));
        }
    }
}

bool any_there(std::span<const double> values) {
    return std::ranges::any_of(values, [](double value) { return !std::isnan(value); });
}

void LastSeen::see(std::span<const double> x) {
    for (std::size_t j = 0; j < last_.size(); ++j) {
        last_[j] = fill(x, j);
    }
}

}  // namespace sluice::baselines
