#include "window_fit.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

#include "require_valid.hpp"

namespace sluice::baselines {

std::vector<std::string> WindowFitOptions::problems() const {
    std::vector<std::string> found;
    if (method == sluice::Method::sparse_bridge) {
        found.emplace_back("method = sparse_bridge: must be pls2, bridge or pcr");
    }
    if (components < 1) {
        found.emplace_back("components = 0: must be 1 or more");
    }
    if (window < 2) {
        found.push_back(fmt::format("window = {}: must be 2 or more", window));
    }
    if (refit_every < 1) {
        found.emplace_back("refit_every = 0: must be 1 or more");
    }
    const bool mixes = ridge >= 0.0 && ridge <= 1.0;  // written so that NaN breaks the rule
    if (!mixes) {
        found.push_back(fmt::format("ridge = {}: must be 0 to 1", ridge));
    }
    const bool bounds = clip > 0.0;
    if (!bounds) {
        found.push_back(fmt::format("clip = {}: must be above 0", clip));
    }
    return found;
}

WindowFit::WindowFit(std::size_t inputs, std::size_t outputs, WindowFitOptions options)
    : inputs_(inputs),
      outputs_(outputs),
      options_(require_valid(options)),
      last_(inputs),
      rows_(options.window, inputs, outputs),
      least_(inputs, 0.0),
      most_(inputs, 0.0),
      filled_(outputs, 0.0) {
    fit_.coefficients = Matrix(inputs, outputs);
    fit_.intercept.assign(outputs, 0.0);
    fit_.input_means.assign(inputs, 0.0);
}

void WindowFit::predict(std::span<const double> x, std::span<double> y) const {
    check_row(x, inputs_, "x");
    assert(y.size() == outputs_);
    std::vector<double> row(inputs_);
    for (std::size_t j = 0; j < inputs_; ++j) {
        row[j] = std::clamp(last_.fill(x, j), least_[j], most_[j]);
    }
    fit_.predict(row, y);
}

void WindowFit::learn(std::span<const double> x, std::span<const double> y) {
    check_row(x, inputs_, "x");
    check_row(y, outputs_, "y");
    if (!any_there(y)) {
        last_.see(x);
        return;
    }
    predict(x, filled_);
    for (std::size_t k = 0; k < outputs_; ++k) {
        filled_[k] = std::isnan(y[k]) ? filled_[k] : y[k];
    }
    last_.see(x);
    rows_.add(last_.values(), filled_);
    if (rows_.rows_added() % options_.refit_every == 0 && rows_.rows_added() > 1) {
        refit();
    }
}

void WindowFit::refit() {
    std::vector<double> x;
    std::vector<double> y;
    x.reserve(rows_.size() * inputs_);
    y.reserve(rows_.size() * outputs_);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        x.insert(x.end(), rows_.x(i).begin(), rows_.x(i).end());
        y.insert(y.end(), rows_.y(i).begin(), rows_.y(i).end());
    }
    StreamOptions all_rows_alike;
    all_rows_alike.components = std::min(options_.components, inputs_);
    all_rows_alike.ridge = options_.ridge;
    all_rows_alike.forgetting = 1.0;
    Fit found = sluice::fit(options_.method, Rows(x, inputs_), Rows(y, outputs_), all_rows_alike);
    fit_.coefficients = std::move(found.coefficients);
    fit_.intercept = std::move(found.intercept);
    fit_.input_means = std::move(found.input_means);
    measure_range();
}

// Deviations as roots, never as squares, which could overflow.
void WindowFit::measure_range() {
    const auto n = static_cast<double>(rows_.size());
    for (std::size_t j = 0; j < inputs_; ++j) {
        const double mean = fit_.input_means[j];
        double length = 0.0;
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            length = std::hypot(length, rows_.x(i)[j] - mean);
        }
        const double bound = options_.clip * (length / std::sqrt(n));
        least_[j] = mean - bound;
        most_[j] = mean + bound;
    }
}

std::size_t WindowFit::bytes() const noexcept {
    return rows_.bytes() + (((inputs_ * outputs_) + (4 * inputs_) + (2 * outputs_)) * sizeof(double));
}

}  // namespace sluice::baselines
