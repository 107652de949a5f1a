#include "naive_forecasts.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "row_intake.hpp"
#include "sluice/error.hpp"

namespace sluice::baselines {

RunningMean::RunningMean(std::size_t inputs, std::size_t outputs)
    : inputs_(inputs), mean_(outputs, 0.0), count_(outputs, 0) {}

void RunningMean::predict(std::span<const double> x, std::span<double> y) const {
    check_row(x, inputs_, "x");
    assert(y.size() == mean_.size());
    std::ranges::copy(mean_, y.begin());
}

void RunningMean::learn(std::span<const double> x, std::span<const double> y) {
    check_row(x, inputs_, "x");
    check_row(y, mean_.size(), "y");
    for (std::size_t k = 0; k < y.size(); ++k) {
        if (!std::isnan(y[k])) {
            ++count_[k];
            mean_[k] += (y[k] - mean_[k]) / static_cast<double>(count_[k]);
        }
    }
}

std::size_t RunningMean::bytes() const {
    return mean_.size() * (sizeof(double) + sizeof(std::uint64_t));
}

SeasonalLastValue::SeasonalLastValue(std::size_t inputs, std::size_t outputs, std::size_t season)
    : inputs_(inputs), season_(season), last_(outputs, std::numeric_limits<double>::quiet_NaN()) {
    if (season < 1) {
        throw OptionError({"season = 0: must be 1 or more rows"});
    }
    same_place_.assign(season * outputs, std::numeric_limits<double>::quiet_NaN());
}

void SeasonalLastValue::predict(std::span<const double> x, std::span<double> y) const {
    check_row(x, inputs_, "x");
    assert(y.size() == last_.size());
    const auto known = std::span(same_place_).subspan((rows_ % season_) * last_.size(), last_.size());
    for (std::size_t k = 0; k < y.size(); ++k) {
        const double value = std::isnan(known[k]) ? last_[k] : known[k];
        y[k] = std::isnan(value) ? 0.0 : value;
    }
}

void SeasonalLastValue::learn(std::span<const double> x, std::span<const double> y) {
    check_row(x, inputs_, "x");
    check_row(y, last_.size(), "y");
    const auto known = std::span(same_place_).subspan((rows_ % season_) * last_.size(), last_.size());
    for (std::size_t k = 0; k < y.size(); ++k) {
        if (!std::isnan(y[k])) {
            last_[k] = y[k];
            known[k] = y[k];
        }
    }
    ++rows_;
}

std::size_t SeasonalLastValue::bytes() const {
    return (last_.size() + same_place_.size()) * sizeof(double);
}

}  // namespace sluice::baselines
