#include "best_fixed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace sluice::job {

namespace {

std::string text_of(const AdaptiveModel::Reading& reading) {
    std::string out = fmt::format("forgetting {}, ", reading.forgetting);
    out += reading.names == 0   ? "no names, "
           : reading.names == 1 ? fmt::format("1 name, shrinkage {}, ", reading.shrinkage)
                                : fmt::format("{} names, shrinkage {}, ", reading.names, reading.shrinkage);
    if (reading.speed == 0.0) {
        return out + (reading.names == 0 ? "the last value" : "intercept moved by the last error");
    }
    return out + (reading.speed == 1.0 ? "intercept fixed" : fmt::format("intercept drifting at {}", reading.speed));
}

// Over `rows` rows since `start`. The sums are in units of 4^exponent, and both may be too large for a number.
double rmse_since(const ReadingStart::Squares& start, const AdaptiveModel::Reading& now, double rows) {
    const double since = now.squares - std::ldexp(start.sum, 2 * (start.exponent - now.exponent));
    return std::ldexp(std::sqrt(std::max(since, 0.0) / rows), now.exponent);
}

}  // namespace

std::vector<std::optional<BestFixed>> best_fixed(const Tally& tally, const AdaptiveModel& model) {
    std::vector<std::optional<BestFixed>> all(model.outputs());
    for (std::size_t j = 0; j < all.size(); ++j) {
        const auto rows = static_cast<double>(tally.scores()[j].count());
        const auto start = tally.reading_start().of(j);
        const std::vector<AdaptiveModel::Reading> readings = model.readings(j);
        if (rows == 0.0 || start.size() != readings.size()) {
            continue;
        }
        for (std::size_t i = 0; i < readings.size(); ++i) {
            const double rmse = rmse_since(start[i], readings[i], rows);
            if (!all[j] || rmse < all[j]->rmse) {
                all[j] = BestFixed{.setting = text_of(readings[i]), .rmse = rmse};
            }
        }
    }
    return all;
}

}  // namespace sluice::job
