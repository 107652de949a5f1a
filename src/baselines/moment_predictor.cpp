#include "moment_predictor.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace sluice::baselines {

MomentPredictor::MomentPredictor(std::size_t inputs, std::size_t outputs, double forgetting)
    : moments_(inputs, outputs, forgetting),
      last_(inputs),
      seen_(inputs, 0),
      active_(outputs),
      b_(outputs),
      per_(outputs),
      of_(outputs, 1.0),
      row_(inputs, 0.0),
      filled_(outputs, 0.0) {}

void MomentPredictor::predict(std::span<const double> x, std::span<double> y) const {
    check_row(x, moments_.inputs(), "x");
    assert(y.size() == moments_.outputs());
    for (std::size_t k = 0; k < y.size(); ++k) {
        double sum = 0.0;
        for (std::size_t i = 0; i < active_[k].size(); ++i) {
            const std::size_t j = active_[k][i];
            sum += (last_.fill(x, j) - moments_.input_mean(j)) / per_[k][i] * b_[k][i];
        }
        // Beyond what a double can hold only where an input is 1e200 standard deviations away: then nothing is known.
        const double value = moments_.output_mean(k) + (of_[k] * sum);
        y[k] = std::isfinite(value) ? value : moments_.output_mean(k);
    }
}

bool MomentPredictor::learn(std::span<const double> x, std::span<const double> y) {
    check_row(x, moments_.inputs(), "x");
    check_row(y, moments_.outputs(), "y");
    const bool there = any_there(y);
    if (there) {
        predict(x, filled_);
    }
    last_.see(x);
    for (std::size_t j = 0; j < x.size(); ++j) {
        seen_[j] = seen_[j] != 0 || !std::isnan(x[j]) ? 1 : 0;
        row_[j] = seen_[j] != 0 ? last_.values()[j] : std::numeric_limits<double>::quiet_NaN();
    }
    if (!there) {
        return false;
    }
    for (std::size_t k = 0; k < y.size(); ++k) {
        // An output that was never there stays unknown to the moments.
        filled_[k] = std::isnan(y[k]) && moments_.output_known(k) ? filled_[k] : y[k];
    }
    moments_.add(row_, filled_);
    return true;
}

void MomentPredictor::set_coefficients(std::size_t k, std::span<const double> standardised) {
    assert(standardised.size() == moments_.inputs());
    active_[k].clear();
    b_[k].clear();
    per_[k].clear();
    const double scale = moments_.output_scale(k);
    of_[k] = moments_.output_unit(k);
    for (std::size_t j = 0; j < standardised.size(); ++j) {
        if (standardised[j] != 0.0 && scale > 0.0) {
            active_[k].push_back(j);
            b_[k].push_back(standardised[j] * moments_.input_scale(j) / scale);
            per_[k].push_back(moments_.input_unit(j));
        }
    }
}

Matrix MomentPredictor::coefficients() const {
    Matrix b(moments_.inputs(), moments_.outputs());
    for (std::size_t k = 0; k < active_.size(); ++k) {
        for (std::size_t i = 0; i < active_[k].size(); ++i) {
            b(active_[k][i], k) = b_[k][i] * (of_[k] / per_[k][i]);
        }
    }
    return b;
}

std::size_t MomentPredictor::bytes() const noexcept {
    std::size_t numbers = (3 * moments_.inputs()) + (2 * moments_.outputs());
    for (const auto& active : active_) {
        numbers += 3 * active.size();
    }
    return moments_.bytes() + (numbers * sizeof(double));
}

}  // namespace sluice::baselines
