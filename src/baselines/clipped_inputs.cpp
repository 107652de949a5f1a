#include "clipped_inputs.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

#include "row_intake.hpp"

namespace sluice::baselines {

ClippedInputs::ClippedInputs(std::unique_ptr<Method> method, std::size_t inputs, ClipOptions options)
    : method_(std::move(method)), options_(options), mean_(inputs, 0.0), squares_(inputs, 0.0), weight_(inputs, 0.0) {
    assert(options.clip > 0.0 && options.forgetting > 0.0 && options.forgetting <= 1.0);
}

ClippedInputs::ClippedInputs(const ClippedInputs& other)
    : Method(other),
      method_(other.method_->clone()),
      options_(other.options_),
      mean_(other.mean_),
      squares_(other.squares_),
      weight_(other.weight_) {}

void ClippedInputs::predict(std::span<const double> x, std::span<double> y) const {
    check_row(x, mean_.size(), "x");
    std::vector<double> row(x.begin(), x.end());
    for (std::size_t j = 0; j < row.size(); ++j) {
        if (weight_[j] > 0.0) {  // NaN stays NaN
            const double bound = options_.clip * std::sqrt(squares_[j] / weight_[j]);
            row[j] = mean_[j] + std::clamp(row[j] - mean_[j], -bound, bound);
        }
    }
    method_->predict(row, y);
}

void ClippedInputs::learn(std::span<const double> x, std::span<const double> y) {
    method_->learn(x, y);  // refuses what is wrong before anything changes
    for (std::size_t j = 0; j < x.size(); ++j) {
        if (!std::isnan(x[j])) {
            weight_[j] = (options_.forgetting * weight_[j]) + 1.0;
            const double step = x[j] - mean_[j];
            mean_[j] += step / weight_[j];
            squares_[j] = (options_.forgetting * squares_[j]) + ((1.0 - (1.0 / weight_[j])) * step * step);
        }
    }
}

std::size_t ClippedInputs::bytes() const {
    return method_->bytes() + (3 * mean_.size() * sizeof(double));
}

}  // namespace sluice::baselines
