#include "change_point.hpp"

#include <algorithm>
#include <cmath>

#include "constants.hpp"

namespace sluice::tune {

namespace {

// Rows that must stand before a jump: fewer do not tell what the errors were like.
constexpr std::size_t kLeastBefore = 5;

}  // namespace

std::optional<std::size_t> ChangePoint::find(std::span<const double> squares) {
    const std::size_t n = squares.size();
    if (n <= kLeastBefore) {
        return std::nullopt;
    }
    sums_.assign(1, 0.0);
    for (const double square : squares) {
        sums_.push_back(sums_.back() + square);
    }
    const double all = sums_[n];
    if (!(all > 0.0) || !std::isfinite(all)) {
        return std::nullopt;
    }
    auto log_mean = [&](double sum, std::size_t rows) {
        return std::log((sum + (1e-12 * all)) / static_cast<double>(rows));
    };
    const double one = static_cast<double>(n) * log_mean(all, n);
    double most = kClearChange;
    std::optional<std::size_t> place;
    for (std::size_t k = kLeastBefore; k < n; ++k) {
        const auto before = static_cast<double>(k);
        const auto after = static_cast<double>(n - k);
        const double rest = all - sums_[k];
        if (rest * before < kLeastRatio * sums_[k] * after) {
            continue;
        }
        const double gain = one - (before * log_mean(sums_[k], k)) - (after * log_mean(rest, n - k));
        if (gain > most) {
            most = gain;
            place = k;
        }
    }
    return place;
}

}  // namespace sluice::tune
