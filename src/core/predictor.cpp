// predictor.cpp
//
//     y_k = mean_k + (1 / E_k) sum_j D_j beta_jk clip(x_j - mean_j)
//
// in column units; D and E are those of working_units.cpp. Without centring the means are 0.
#include "predictor.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "row_check.hpp"

namespace sluice::core {

void Predictor::predict(std::span<const std::size_t> selected, std::span<const double> betas, std::span<const double> x,
                        std::span<double> y) const {
    const auto e = units_.output_units();
    const bool plain = units_.input_units_are_ones() && !clip_;
    if (plain) {
        add_up<true>(selected, betas, x, y);
    }
    if (!plain || !std::ranges::all_of(y, [](double sum) { return std::isfinite(sum); })) {
        add_up<false>(selected, betas, x, y);
    }
    for (std::size_t k = 0; k < y.size(); ++k) {
        double value = e[k] > 0.0 ? y[k] / e[k] : 0.0;
        value += moments_.inputs.centered() ? moments_.outputs.mean(k) : 0.0;
        y[k] = finite(moments_.outputs.units().in_callers_units(k, value));
    }
}

// y_k = sum_j D_j beta_jk clip(x_j - mean_j). kPlain: D is the identity, nothing is clipped, and no x is missing or out of range;
// where one is, the sum is not finite.
template <bool kPlain>
void Predictor::add_up(std::span<const std::size_t> selected, std::span<const double> betas, std::span<const double> x,
                       std::span<double> y) const {
    const std::size_t size = selected.size();
    const bool centered = moments_.inputs.centered();
    std::ranges::fill(y, 0.0);
    constexpr std::size_t kAtATime = 64;
    std::array<double, kAtATime> d;          // NOLINT(cppcoreguidelines-pro-type-member-init): written next
    std::array<double, kAtATime> deviation;  // NOLINT(cppcoreguidelines-pro-type-member-init)
    for (std::size_t first = 0; first < size; first += kAtATime) {
        const std::size_t count = std::min(kAtATime, size - first);
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t j = selected[first + i];
            if constexpr (kPlain) {
                deviation[i] = x[j] - (centered ? moments_.inputs.mean(j) : 0.0);
            } else {
                d[i] = units_.input_unit(moments_, j);
                deviation[i] = clipped_deviation(j, x[j]);
            }
        }
        for (std::size_t k = 0; k < y.size(); ++k) {
            const double* beta = betas.data() + (k * size) + first;
            double sum = y[k];
            for (std::size_t i = 0; i < count; ++i) {
                sum += (kPlain ? beta[i] : d[i] * beta[i]) * deviation[i];
            }
            y[k] = sum;
        }
    }
}

double Predictor::coefficient(std::size_t input, std::size_t output, double beta) const {
    const double e = units_.output_units()[output];
    if (e == 0.0) {
        return 0.0;
    }
    const double stored = units_.input_unit(moments_, input) * beta / e;
    return finite(
        std::ldexp(stored, moments_.outputs.units().exponent(output) - moments_.inputs.units().exponent(input)));
}

double Predictor::intercept(std::span<const std::size_t> selected, std::span<const double> beta,
                            std::size_t output) const {
    if (!moments_.inputs.centered()) {
        return 0.0;
    }
    double along = 0.0;
    for (std::size_t i = 0; i < selected.size(); ++i) {
        along += units_.input_unit(moments_, selected[i]) * beta[i] * moments_.inputs.mean(selected[i]);
    }
    const double e = units_.output_units()[output];
    const double value = moments_.outputs.mean(output) - (e > 0.0 ? along / e : 0.0);
    return finite(moments_.outputs.units().in_callers_units(output, value));
}

}  // namespace sluice::core
