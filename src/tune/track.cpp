#include "track.hpp"

#include <algorithm>
#include <limits>

#include "state.hpp"

namespace sluice::tune {

namespace {

// 0.95 to 0.99 are level on the eleven tasks (0.061 to 0.062 with 20 names); 0.9 and 0.995 are worse (0.063, 0.066).
constexpr double kDiscount = 0.97;
// Squares of larger errors would not be finite.
constexpr double kMostError = 1e150;

}  // namespace

Track::Track(std::size_t outputs, bool drifts) : speeds_(drifts ? kSpeeds.size() : 1), of_(outputs * speeds_) {}

void Track::add(std::size_t output, double observed, double predicted) {
    const double e = std::clamp(observed - predicted, -kMostError, kMostError);
    for (std::size_t i = 0; i < speeds_; ++i) {
        Speed& speed = of_[(output * speeds_) + i];
        const double left = std::clamp(e - speed.mean, -kMostError, kMostError);
        speed.error = std::min((kDiscount * speed.error) + (left * left), std::numeric_limits<double>::max());
        if (kSpeeds[i] != kOff) {
            speed.weight = (kSpeeds[i] * speed.weight) + 1.0;
            speed.mean += left / speed.weight;
        }
    }
}

const Track::Speed& Track::best(std::size_t output) const {
    const auto first = of_.begin() + static_cast<std::ptrdiff_t>(output * speeds_);
    return *std::min_element(first, first + static_cast<std::ptrdiff_t>(speeds_),
                             [](const Speed& a, const Speed& b) { return a.error < b.error; });
}

double Track::error(std::size_t output) const {
    return best(output).error;
}

double Track::drift(std::size_t output) const {
    return best(output).mean;
}

double Track::loss(std::span<const double> scale) const {
    double sum = 0.0;
    for (std::size_t k = 0; k < scale.size(); ++k) {
        if (scale[k] > 0.0) {
            sum += std::min(error(k) / scale[k], 1e100);
        }
    }
    return sum;
}

void Track::multiply_errors(double factor) {
    for (Speed& speed : of_) {
        speed.error = std::min(speed.error * factor, std::numeric_limits<double>::max());
    }
}

void Track::change_unit(std::size_t output, double times) {
    for (std::size_t i = 0; i < speeds_; ++i) {
        Speed& speed = of_[(output * speeds_) + i];
        speed.mean *= times;
        speed.error = speed.error * times * times;  // the square of `times` alone may not be finite
    }
}

void Track::save(core::StateWriter& out) const {
    for (const Speed& speed : of_) {
        out.put(speed.mean);
        out.put(speed.weight);
        out.put(speed.error);
    }
}

void Track::load(core::StateReader& in) {
    for (Speed& speed : of_) {
        in.get(speed.mean);
        in.get(speed.weight);
        in.get(speed.error);
        in.require(speed.weight >= 0.0 && speed.error >= 0.0, "a record of errors is negative");
    }
}

}  // namespace sluice::tune
