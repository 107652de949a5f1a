// weighted_moments.cpp -- see weighted_moments.hpp. p^2 / 2 + p q products and sums for a row.
#include "weighted_moments.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "as_index.hpp"
#include "power_of_two.hpp"

namespace sluice::baselines {

namespace {

using Eigen::Index;
using Eigen::VectorXd;
using ColumnMap = Eigen::Map<VectorXd>;

// A deviation below this share of the mean is the rounding of the mean.
constexpr double kMeanRounding = 8.0 * std::numeric_limits<double>::epsilon();
// A value this many units large gets a larger unit: its square times the weight is far from overflow until then.
constexpr double kLargestInUnits = 0x1p64;
// What forgetting leaves below this is set to zero, before it becomes a denormal number, with which processors are slow.
// Looked at every kRowsBetweenSweeps rows, which divide by 2^256 at most.
constexpr double kForgottenMoment = 1e-200;
constexpr std::uint64_t kRowsBetweenSweeps = 256;

// The mean moves towards the value; returns the deviation from the mean before, in units.
double move_mean(double value, double weight, double unit, char& known, double& mean) {
    if (std::isnan(value)) {
        return 0.0;
    }
    if (known == 0) {
        known = 1;
        mean = value;
        return 0.0;
    }
    const double step = value - mean;
    mean += step / weight;
    return unit > 0.0 ? step / unit : 0.0;
}

double standard_scale(double square, double mean, double unit, double weight) {
    const double rounding = unit > 0.0 ? kMeanRounding * std::abs(mean) / unit : 0.0;
    return square > weight * rounding * rounding && square > 0.0 ? 1.0 / std::sqrt(square) : 0.0;
}

}  // namespace

WeightedMoments::WeightedMoments(std::size_t inputs, std::size_t outputs, double forgetting)
    : lambda_(forgetting),
      m_(inputs, 0.0),
      h_(outputs, 0.0),
      x_unit_(inputs, 0.0),
      y_unit_(outputs, 0.0),
      x_known_(inputs, 0),
      y_known_(outputs, 0),
      C_(inputs * inputs, 0.0),
      M_(inputs * outputs, 0.0),
      S_(outputs, 0.0),
      d_(inputs, 0.0),
      e_(outputs, 0.0),
      x_step_(inputs, 0.0),
      y_step_(outputs, 0.0) {
    assert(forgetting >= 0.5 && forgetting <= 1.0);
}

std::size_t WeightedMoments::bytes() const noexcept {
    return ((C_.size() + M_.size() + (5 * m_.size()) + (5 * h_.size())) * sizeof(double)) + m_.size() + h_.size();
}

// The first value that is not zero, or one far beyond the present unit, sets the unit. C and M are converted exactly.
void WeightedMoments::adopt_units(std::span<const double> x, std::span<const double> y) {
    const std::size_t p = inputs();
    for (std::size_t j = 0; j < p; ++j) {
        if (!(std::abs(x[j]) > kLargestInUnits * x_unit_[j])) {  // NaN, zero and ordinary values
            continue;
        }
        const double unit = power_of_two_near(std::abs(x[j]));
        const double ratio = x_unit_[j] / unit;  // 0 at first, where all that is converted is 0
        ColumnMap below(C_.data() + (j * p) + j, as_index(p - j));
        below *= ratio;
        for (std::size_t i = 0; i <= j; ++i) {  // twice at the diagonal
            C_[(i * p) + j] *= ratio;
        }
        for (std::size_t k = 0; k < outputs(); ++k) {
            M_[(k * p) + j] *= ratio;
        }
        x_unit_[j] = unit;
    }
    for (std::size_t k = 0; k < outputs(); ++k) {
        if (std::abs(y[k]) > kLargestInUnits * y_unit_[k]) {
            const double unit = power_of_two_near(std::abs(y[k]));
            const double ratio = y_unit_[k] / unit;
            ColumnMap(M_.data() + (k * p), as_index(p)) *= ratio;
            S_[k] *= ratio * ratio;
            y_unit_[k] = unit;
        }
    }
}

void WeightedMoments::add(std::span<const double> x, std::span<const double> y) {
    const std::size_t p = inputs();
    assert(x.size() == p && y.size() == outputs());
    adopt_units(x, y);
    n_ = (lambda_ * n_) + 1.0;
    for (std::size_t j = 0; j < p; ++j) {
        x_step_[j] = move_mean(x[j], n_, x_unit_[j], x_known_[j], m_[j]);
    }
    for (std::size_t k = 0; k < outputs(); ++k) {
        y_step_[k] = move_mean(y[k], n_, y_unit_[k], y_known_[k], h_[k]);
    }
    const double share = 1.0 - (1.0 / n_);
    const ColumnMap step(x_step_.data(), as_index(p));
    for (std::size_t j = 0; j < p; ++j) {
        const Index rest = as_index(p - j);
        ColumnMap column(C_.data() + (j * p) + j, rest);
        column = (lambda_ * column) + ((share * x_step_[j]) * step.tail(rest));
    }
    for (std::size_t k = 0; k < outputs(); ++k) {
        ColumnMap column(M_.data() + (k * p), as_index(p));
        column = (lambda_ * column) + ((share * y_step_[k]) * step);
        S_[k] = (lambda_ * S_[k]) + (share * y_step_[k] * y_step_[k]);
    }
    if (++rows_ % kRowsBetweenSweeps == 0) {
        drop_forgotten();
    }
    refresh_scales();
}

void WeightedMoments::drop_forgotten() {
    for (auto* numbers : {&C_, &M_, &S_}) {
        std::ranges::replace_if(
            *numbers, [](double value) { return std::abs(value) < kForgottenMoment; }, 0.0);
    }
}

void WeightedMoments::refresh_scales() {
    const std::size_t p = inputs();
    for (std::size_t j = 0; j < p; ++j) {
        d_[j] = standard_scale(C_[(j * p) + j], m_[j], x_unit_[j], n_);
    }
    for (std::size_t k = 0; k < outputs(); ++k) {
        e_[k] = standard_scale(S_[k], h_[k], y_unit_[k], n_);
    }
}

void WeightedMoments::correlations(std::size_t j, std::span<double> column) const {
    const std::size_t p = inputs();
    assert(column.size() == p);
    for (std::size_t i = 0; i < j; ++i) {
        column[i] = C_[(i * p) + j] * (d_[i] * d_[j]);
    }
    column[j] = correlation_square(j);
    for (std::size_t i = j + 1; i < p; ++i) {
        column[i] = C_[(j * p) + i] * (d_[i] * d_[j]);
    }
}

void WeightedMoments::lower_correlations(std::span<double> R) const {
    const std::size_t p = inputs();
    assert(R.size() == p * p);
    const Eigen::Map<const VectorXd> d(d_.data(), as_index(p));
    for (std::size_t j = 0; j < p; ++j) {
        const Index rest = as_index(p - j);
        const std::size_t at = (j * p) + j;
        ColumnMap(R.data() + at, rest).array() =
            Eigen::Map<const VectorXd>(C_.data() + at, rest).array() * (d_[j] * d.tail(rest).array());
        R[at] = correlation_square(j);
    }
}

void WeightedMoments::output_correlations(std::size_t k, std::span<double> r) const {
    assert(r.size() == inputs());
    for (std::size_t j = 0; j < r.size(); ++j) {
        r[j] = M_[(k * r.size()) + j] * (d_[j] * e_[k]);
    }
}

}  // namespace sluice::baselines
