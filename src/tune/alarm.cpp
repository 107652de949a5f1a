#include "alarm.hpp"

#include <algorithm>
#include <cmath>

#include "state.hpp"

namespace sluice::tune {

namespace {

constexpr double kMostAlarmError = 1e100;
constexpr double kLeastError = 1e-100;
// A share of error against a level that moved would move with it, up where the errors have fallen for good: on 10^5
// stationary rows the errors of the first ones, large by far, gave 18 alarms. So the level is that of some rows, after a few
// in which all is new, until the window is cut.
constexpr std::uint64_t kSettled = 10;
constexpr std::uint64_t kFirst = 20;
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
        ++rows_;
        const double size = std::clamp(error, kLeastError, kMostAlarmError);
        if (rows_ > kSettled + kFirst) {
            // Between 0 and 1, whatever the errors' unit and tails.
            const double share = size / (size + std::exp(level_));
            const Window::Change change = window_.add(share);
            if (change == Window::Change::rose) {
                found = Break{.rows = window_.since_change(), .error = true};
            }
            if (change != Window::Change::none) {
                watch_anew();
            }
        } else if (rows_ > kSettled) {
            level_ += (std::log(size) - level_) / static_cast<double>(rows_ - kSettled);
        }
    }
    const double fall = mean_ - covariance;
    if (weight_ > kLeastWeight && fall > kLeastFall && fall > kDeviations * std::sqrt(variance_)) {
        if (!found) {
            found = Break{.rows = 1, .error = false};
        }
        forget_covariance();
    }
    weight_ = (kCovarianceMemory * weight_) + 1.0;
    const double step = covariance - mean_;
    mean_ += step / weight_;
    variance_ += (std::max(step * (covariance - mean_), 0.0) - variance_) / weight_;  // the mean is rounded
    return found;
}

void DriftAlarm::watch_anew() {
    window_.clear();
    rows_ = 0;
    level_ = 0.0;
}

void DriftAlarm::forget_covariance() {
    weight_ = 0.0;
    variance_ = 0.0;
}

void DriftAlarm::save(core::StateWriter& out) const {
    window_.save(out);
    out.put(rows_);
    for (const double number : {level_, mean_, variance_, weight_}) {
        out.put(number);
    }
}

void DriftAlarm::load(core::StateReader& in) {
    window_.load(in);
    in.get(rows_);
    for (double* number : {&level_, &mean_, &variance_, &weight_}) {
        in.get(*number);
    }
    in.require(
        std::abs(level_) <= 1000.0 && std::abs(mean_) <= 1.0 && variance_ >= 0.0 && variance_ <= 1.0 && weight_ >= 0.0,
        "its alarm is set to what cannot be");
}

}  // namespace sluice::tune
