// error_track.cpp -- discounted one-step errors, as e^(r) of eq. (23), and the comparison of two readings.
#include "error_track.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "state.hpp"

namespace sluice::tune {

namespace {

// 0.95 to 0.99 are level on the eleven tasks (0.061 to 0.062 with 20 names); 0.9 and 0.995 are worse (0.063, 0.066).
constexpr double kDiscount = 0.97;
// Squares of larger errors would not be finite.
constexpr double kMostError = 1e150;
// Paired comparisons remember longer: what they judge should not change often.
constexpr double kLongDiscount = 0.99;
constexpr double kMostGain = 1e6;
// A drifting intercept is used where it lowers the error by at least a tenth: by chance one of six is often a little better. (Simulated
// factors without change, one output: error over variance 0.069 where any less will do, 0.066 with this; tasks level.)
constexpr double kClearlyLess = 0.9;

}  // namespace

ErrorTrack::ErrorTrack(std::size_t outputs, bool drifts)
    : speeds_(drifts ? kSpeeds.size() : 1), last_(outputs, 0.0), of_(outputs * speeds_) {}

void ErrorTrack::add(std::size_t output, double observed, double predicted) {
    const double e = std::clamp(observed - predicted, -kMostError, kMostError);
    const double used = std::clamp(e - best(output).mean, -kMostError, kMostError);
    last_[output] = used * used;
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

const ErrorTrack::Speed& ErrorTrack::best(std::size_t output) const {
    const auto first = of_.begin() + static_cast<std::ptrdiff_t>(output * speeds_);
    const auto least = std::min_element(first, first + static_cast<std::ptrdiff_t>(speeds_),
                                        [](const Speed& a, const Speed& b) { return a.error < b.error; });
    return least->error < kClearlyLess * first->error ? *least : *first;
}

double ErrorTrack::error(std::size_t output) const {
    return best(output).error;
}

double ErrorTrack::drift(std::size_t output) const {
    return best(output).mean;
}

double ErrorTrack::loss(std::span<const double> scale) const {
    double sum = 0.0;
    for (std::size_t k = 0; k < scale.size(); ++k) {
        if (scale[k] > 0.0) {
            sum += std::min(error(k) / scale[k], 1e100);
        }
    }
    return sum;
}

void ErrorTrack::compare(const ErrorTrack& used, std::span<const double> scale) {
    double gain = 0.0;
    for (std::size_t k = 0; k < scale.size(); ++k) {
        if (scale[k] > 0.0) {
            gain += (std::min(used.last_[k] / scale[k], kMostGain) - std::min(last_[k] / scale[k], kMostGain));
        }
    }
    gain_ = (kLongDiscount * gain_) + gain;
    gain_square_ = (kLongDiscount * gain_square_) + (gain * gain);
}

double ErrorTrack::t_statistic() const {
    return gain_square_ > 0.0 ? gain_ / std::sqrt(gain_square_) : 0.0;
}

void ErrorTrack::multiply_errors(double factor) {
    for (Speed& speed : of_) {
        speed.error = std::min(speed.error * factor, std::numeric_limits<double>::max());
    }
}

void ErrorTrack::change_unit(std::size_t output, double times) {
    for (std::size_t i = 0; i < speeds_; ++i) {
        Speed& speed = of_[(output * speeds_) + i];
        speed.mean *= times;
        speed.error = speed.error * times * times;  // the square of `times` alone may not be finite
    }
}

void ErrorTrack::save(core::StateWriter& out) const {
    out.put_all(last_);
    out.put(gain_);
    out.put(gain_square_);
    for (const Speed& speed : of_) {
        out.put(speed.mean);
        out.put(speed.weight);
        out.put(speed.error);
    }
}

void ErrorTrack::load(core::StateReader& in) {
    in.get_all(last_);
    in.get(gain_);
    in.get(gain_square_);
    in.require(gain_square_ >= 0.0, "a comparison of errors is negative");
    for (Speed& speed : of_) {
        in.get(speed.mean);
        in.get(speed.weight);
        in.get(speed.error);
        in.require(speed.weight >= 0.0 && speed.error >= 0.0, "a record of errors is negative");
    }
}

}  // namespace sluice::tune
