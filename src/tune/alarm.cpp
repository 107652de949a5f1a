#include "alarm.hpp"

#include <algorithm>
#include <cmath>

#include "state.hpp"

namespace sluice::tune {

namespace {

constexpr double kLongRun = 0.999;
constexpr double kMostError = 1e100;
// The explained covariance moves slowly and follows itself, so that chance tells little; a break is far outside of what it
// was, and large.
constexpr double kCovarianceMemory = 0.99;
constexpr double kDeviations = 8.0;
constexpr double kLeastFall = 0.25;
constexpr double kLeastWeight = 50.0;

}  // namespace

std::optional<DriftAlarm::Break> DriftAlarm::add(double error, double covariance) {
    std::optional<Break> found;
    if (error >= 0.0) {
        error = std::min(error, kMostError);
        level_weight_ = (kLongRun * level_weight_) + 1.0;
        // Between 0 and 1, whatever the errors' unit and tails.
        const double share = error + level_ > 0.0 ? error / (error + level_) : 0.0;
        level_ += (error - level_) / level_weight_;
        if (window_.add(share) == Window::Change::rose) {
            found = Break{.rows = window_.size(), .error = true};
        }
    }
    const double fall = mean_ - covariance;
    if (weight_ > kLeastWeight && fall > kLeastFall && fall > kDeviations * std::sqrt(variance_)) {
        if (!found) {
            found = Break{.rows = 1, .error = false};
        }
        weight_ = 0.0;
        variance_ = 0.0;
    }
    weight_ = (kCovarianceMemory * weight_) + 1.0;
    const double step = covariance - mean_;
    mean_ += step / weight_;
    variance_ += ((step * (covariance - mean_)) - variance_) / weight_;
    return found;
}

void DriftAlarm::save(core::StateWriter& out) const {
    window_.save(out);
    for (const double number : {level_, level_weight_, mean_, variance_, weight_}) {
        out.put(number);
    }
}

void DriftAlarm::load(core::StateReader& in) {
    window_.load(in);
    for (double* number : {&level_, &level_weight_, &mean_, &variance_, &weight_}) {
        in.get(*number);
    }
    in.require(level_weight_ >= 0.0 && weight_ >= 0.0, "its alarm's weights are negative");
    in.require(level_ >= 0.0 && level_ <= kMostError && std::abs(mean_) <= 1.0 && variance_ >= 0.0 && variance_ <= 1.0,
               "its alarm is set to what cannot be");
}

}  // namespace sluice::tune
