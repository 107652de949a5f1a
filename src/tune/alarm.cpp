#include "alarm.hpp"

#include <algorithm>
#include <cmath>

#include "state.hpp"

namespace sluice::tune {

namespace {

constexpr double kMostAlarmError = 1e100;
constexpr double kLeastError = 1e-100;
// Errors are compared with a fixed level: the mean of kFirst rows, after kSettled rows in which everything is new, until the
// window is cut. A level that follows the errors raised 18 alarms on 10^5 stationary rows, because the errors of the first rows
// are far larger than the later ones.
constexpr std::uint64_t kSettled = 10;
constexpr std::uint64_t kFirst = 20;
// The explained covariance changes slowly from row to row, so its variance says little about chance. A break is a large fall,
// far outside of its recent values.
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
            const AdaptiveWindow::Change change = window_.add(share);
            if (change == AdaptiveWindow::Change::rose) {
                found = Break{.rows = window_.since_change(), .error = true};
            }
            if (change != AdaptiveWindow::Change::none) {
                restart_window();
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

void DriftAlarm::restart_window() {
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
    in.require(std::abs(level_) <= 1000.0, "the alarm's level of error is out of range");
    in.require(std::abs(mean_) <= 1.0 && variance_ >= 0.0 && variance_ <= 1.0,
               "the alarm's mean or variance of the explained covariance is out of range");
    in.require(weight_ >= 0.0, "the alarm's weight is negative");
}

}  // namespace sluice::tune
