// output_moments.cpp -- weighted means and variances of the outputs.
//
//     n_k <- lambda n_k + 1,   mean_k <- mean_k + e / n_k,   e = y_k - mean_k before the row
//     squares_k <- lambda squares_k + f e^2,   f = lambda n_k / (lambda n_k + 1)           as in input_moments.cpp
//
// An output that was filled in with the model's own prediction moves the mean, so that M stays in step with C. Its variance
// counts observed values only: observed_weight_ takes the place of n_k and advances only with them.
#include "output_moments.hpp"

#include <cmath>

#include "small_numbers.hpp"

namespace sluice::core {

OutputMoments::OutputMoments(std::size_t outputs, const StreamOptions& options)
    : forgetting_(options.forgetting),
      center_(options.center),
      units_(moment_units(outputs)),
      mean_(outputs, 0.0),
      weight_(outputs, 0.0),
      squares_(outputs, 0.0),
      observed_weight_(outputs, 0.0),
      observed_rows_(outputs, 0),
      deviation_(outputs, 0.0) {}

void OutputMoments::forget() {
    for (double& w : weight_) {
        w *= forgetting_;
    }
}

void OutputMoments::add(std::span<const double> y, std::span<const unsigned char> observed) {
    for (std::size_t k = 0; k < size(); ++k) {
        if (std::isnan(y[k])) {
            deviation_[k] = 0.0;
            continue;
        }
        const double value = units_.known(k) ? y[k] * units_.unit(k) : 0.0;
        const double before = weight_[k];
        const double deviation = value - mean_[k];
        mean_[k] = before == 0.0 ? value : mean_[k] + (deviation / (before + 1.0));
        deviation_[k] = center_ ? std::sqrt(before / (before + 1.0)) * deviation : value;
        weight_[k] = before + 1.0;
        if (observed[k] != 0) {
            const double clock = forgetting_ * observed_weight_[k];
            const double square = center_ ? clock / (clock + 1.0) * deviation * deviation : value * value;
            squares_[k] = (forgetting_ * squares_[k]) + square;
            observed_weight_[k] = clock + 1.0;
            ++observed_rows_[k];
        }
    }
}

double OutputMoments::rescale(std::size_t k, int exponent) {
    const double factor = units_.set(k, exponent);
    mean_[k] *= factor;
    multiply(squares_[k], factor);
    multiply(squares_[k], factor);
    return factor;
}

}  // namespace sluice::core
