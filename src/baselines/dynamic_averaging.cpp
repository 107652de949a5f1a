#include "dynamic_averaging.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>
#include <utility>

#include "require_valid.hpp"

namespace sluice::baselines {

namespace {

// Of each probability, before they are made to sum to 1: no model is excluded for ever (section 2.3 of the paper).
constexpr double kProbabilityFloor = 1e-3;
// V is that of the standardised output: below this share of it errors are rounding.
constexpr double kSmallestVariance = 1e-12;

// The input whose coefficient is the intercept: this large, so that the prior, which is the same for all, leaves it free.
constexpr double kConstantInput = 1e3;

double log_normal_density(double error, double variance) {
    return -0.5 * (std::log(2.0 * std::numbers::pi * variance) + (error * error / variance));
}

// exp(values) sum to 1 afterwards.
void normalise_logs(std::span<double> values) {
    const double largest = *std::ranges::max_element(values);
    double sum = 0.0;
    for (const double value : values) {
        sum += std::exp(value - largest);
    }
    for (double& value : values) {
        value -= largest + std::log(sum);
    }
}

}  // namespace

std::vector<std::string> DynamicAveragingOptions::problems() const {
    std::vector<std::string> found;
    const bool forgets = !forgetting.empty() && std::ranges::all_of(forgetting, [](double lambda) {
        return lambda > 0.0 && lambda <= 1.0;  // written so that NaN breaks the rule
    });
    if (!forgets) {
        found.push_back(
            fmt::format("forgetting = {}: must be one number or more, each above 0 and at most 1", forgetting));
    }
    const bool moves = model_forgetting > 0.0 && model_forgetting <= 1.0;
    if (!moves) {
        found.push_back(fmt::format("model_forgetting = {}: must be above 0 and at most 1", model_forgetting));
    }
    const bool averages = variance_forgetting >= 0.0 && variance_forgetting < 1.0;
    if (!averages) {
        found.push_back(fmt::format("variance_forgetting = {}: must be 0 to below 1", variance_forgetting));
    }
    const bool regular = regularisation >= 1e-12 && regularisation <= 1e12;
    if (!regular) {
        found.push_back(fmt::format("regularisation = {}: must be 1e-12 to 1e12", regularisation));
    }
    if (start_up < 2) {
        found.push_back(fmt::format("start_up = {}: must be 2 rows or more", start_up));
    }
    return found;
}

DynamicAveraging::DynamicAveraging(std::size_t inputs, std::size_t outputs, DynamicAveragingOptions options)
    : inputs_(inputs),
      outputs_(outputs),
      options_(require_valid(options)),
      last_(inputs),
      x_units_(inputs),
      y_units_(outputs),
      h_(options.forgetting.size(), 0.0),
      expected_(options.forgetting.size() * outputs, 0.0),
      x_row_(inputs + 1, kConstantInput),
      y_row_(outputs, 0.0) {
    const auto models = static_cast<double>(options.forgetting.size());
    for (const double lambda : options.forgetting) {
        models_.emplace_back(
            inputs + 1, outputs,
            RecursiveOptions{.forgetting = lambda, .regularisation = options.regularisation, .intercept = false});
    }
    V_.assign(outputs * models_.size(), 1.0);
    log_pi_.assign(outputs * models_.size(), -std::log(models));
    waiting_.reserve(options.start_up * (inputs + outputs));
}

void DynamicAveraging::predict(std::span<const double> x, std::span<double> y) const {
    check_row(x, inputs_, "x");
    assert(y.size() == outputs_);
    if (rows_ < options_.start_up) {
        StartUpUnits so_far(outputs_);
        so_far.set(waiting_, inputs_ + outputs_, inputs_);
        for (std::size_t k = 0; k < outputs_; ++k) {
            y[k] = so_far.centre(k);
        }
        return;
    }
    std::vector<double> z(inputs_ + 1, kConstantInput);
    for (std::size_t j = 0; j < inputs_; ++j) {
        z[j] = x_units_.standardised(last_.fill(x, j), j);
    }
    std::vector<double> expected(outputs_);
    std::ranges::fill(y, 0.0);
    for (std::size_t model = 0; model < models_.size(); ++model) {
        models_[model].predict(z, expected);
        for (std::size_t k = 0; k < outputs_; ++k) {
            y[k] += std::exp(log_pi_[(k * models_.size()) + model]) * expected[k];
        }
    }
    for (std::size_t k = 0; k < outputs_; ++k) {
        const double value = y_units_.centre(k) + (y_units_.unit(k) * y[k]);
        y[k] = std::isfinite(value) ? value : y_units_.centre(k);
    }
}

void DynamicAveraging::learn(std::span<const double> x, std::span<const double> y) {
    check_row(x, inputs_, "x");
    check_row(y, outputs_, "y");
    last_.see(x);
    if (!any_there(y)) {
        return;
    }
    ++rows_;
    if (rows_ > options_.start_up) {
        learn_standardised(last_.values(), y);
        return;
    }
    waiting_.insert(waiting_.end(), last_.values().begin(), last_.values().end());
    waiting_.insert(waiting_.end(), y.begin(), y.end());
    if (rows_ == options_.start_up) {
        const std::size_t width = inputs_ + outputs_;
        x_units_.set(waiting_, width, 0);
        y_units_.set(waiting_, width, inputs_);
        const std::vector<double> rows = std::move(waiting_);
        waiting_ = {};
        for (std::size_t t = 0; t < rows_; ++t) {
            const auto row = std::span(rows).subspan(t * width, width);
            learn_standardised(row.first(inputs_), row.subspan(inputs_));
        }
    }
}

// One step of the filter: x without gaps, in the caller's units.
void DynamicAveraging::learn_standardised(std::span<const double> x, std::span<const double> y) {
    for (std::size_t j = 0; j < inputs_; ++j) {
        x_row_[j] = x_units_.standardised(x[j], j);
    }
    for (std::size_t k = 0; k < outputs_; ++k) {
        y_row_[k] = y_units_.standardised(y[k], k);
    }
    for (std::size_t model = 0; model < models_.size(); ++model) {
        models_[model].predict(x_row_, std::span(expected_).subspan(model * outputs_, outputs_));
        h_[model] = models_[model].leverage(x_row_) / options_.forgetting[model];
    }
    const auto counted = static_cast<double>(models_.front().rows_learned());
    for (std::size_t k = 0; k < outputs_; ++k) {
        if (std::isnan(y_row_[k])) {
            continue;
        }
        const auto log_pi = std::span(log_pi_).subspan(k * models_.size(), models_.size());
        for (std::size_t model = 0; model < models_.size(); ++model) {
            double& V = V_[(k * models_.size()) + model];
            const double error = y_row_[k] - expected_[(model * outputs_) + k];
            const double spread = 1.0 + h_[model];
            log_pi[model] += log_normal_density(error, V * spread);
            // The first V, that of the start-up rows, counts as one row.
            const double share = std::max(1.0 - options_.variance_forgetting, 1.0 / (counted + 2.0));
            V = std::max(kSmallestVariance, V + (share * ((error * error / spread) - V)));
        }
        normalise_logs(log_pi);
        forget_models(k);
    }
    for (RecursiveLeastSquares& model : models_) {
        model.learn(x_row_, y_row_);
    }
}

// From the probabilities given this row to those before the next one.
void DynamicAveraging::forget_models(std::size_t output) {
    const auto log_pi = std::span(log_pi_).subspan(output * models_.size(), models_.size());
    for (double& value : log_pi) {
        value *= options_.model_forgetting;
    }
    normalise_logs(log_pi);
    const double floor = kProbabilityFloor / static_cast<double>(models_.size());
    for (double& value : log_pi) {
        value = std::log(std::exp(value) + floor);
    }
    normalise_logs(log_pi);
}

std::vector<double> DynamicAveraging::probabilities(std::size_t output) const {
    const auto log_pi = std::span(log_pi_).subspan(output * models_.size(), models_.size());
    std::vector<double> pi(log_pi.size());
    std::ranges::transform(log_pi, pi.begin(), [](double value) { return std::exp(value); });
    return pi;
}

Matrix DynamicAveraging::coefficients() const {
    Matrix b(inputs_, outputs_);
    for (std::size_t model = 0; model < models_.size(); ++model) {
        const Matrix own = models_[model].coefficients();
        for (std::size_t k = 0; k < outputs_; ++k) {
            const double pi = std::exp(log_pi_[(k * models_.size()) + model]);
            for (std::size_t j = 0; j < inputs_; ++j) {
                b(j, k) += pi * own(j, k) * (y_units_.unit(k) / x_units_.unit(j));
            }
        }
    }
    return b;
}

std::size_t DynamicAveraging::bytes() const noexcept {
    std::size_t total = (waiting_.capacity() + V_.size() + log_pi_.size() + h_.size() + expected_.size() +
                         (4 * inputs_) + (3 * outputs_)) *
                        sizeof(double);
    for (const RecursiveLeastSquares& model : models_) {
        total += model.bytes();
    }
    return total;
}

}  // namespace sluice::baselines
