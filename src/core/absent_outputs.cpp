// absent_outputs.cpp -- an output that is absent keeps its coefficients, however long.
//
//     (C + ridge) beta = M                                                            the refit, for one output
//
// The absent output is filled in with x beta, which adds x'x beta to its column of M, as C gains x'x. That alone would
// keep beta as it is were it not for the ridge, which is in proportion to the diagonal of C and grows too: M is given
// what the ridge gains, times beta. Without this, an output absent for some hundred rows would fade to its mean. (Without
// filling in at all, M falls out of step with C: on the air quality stream the error rises from 0.081 to 0.136.)
// With `deflation = project` there is no ridge and nothing to correct.
#include "absent_outputs.hpp"

#include <algorithm>
#include <cmath>

namespace sluice::core {

AbsentOutputs::AbsentOutputs(std::size_t inputs, std::size_t outputs, const StreamOptions& options)
    : scale_inputs_(options.scale_inputs),
      refit_(options.deflation == Deflation::refit),
      forgetting_(options.forgetting),
      filled_(outputs, 0.0),
      observed_(outputs, 0) {
    if (!options.gamma) {  // else the largest selection is known only when it was met
        beta_.reserve(most_selected(inputs, options) * outputs);
        ridges_.reserve(beta_.capacity());
    }
}

void AbsentOutputs::fill(std::span<const double> y, std::span<const double> prediction, const Moments& moments,
                         const WorkingUnits& units, const Regression& regression, const Coefficients& fit) {
    count_ = 0;
    for (std::size_t k = 0; k < y.size(); ++k) {
        observed_[k] = std::isnan(y[k]) ? 0 : 1;
        filled_[k] = y[k];
        if (observed_[k] == 0) {
            filled_[k] = moments.outputs.weight(k) > 0.0 ? prediction[k] : y[k];
            ++count_;
        }
    }
    if (count_ == 0 || !refit_) {
        return;
    }
    const std::size_t size = fit.selected.size();
    beta_.resize(fit.beta.size());
    ridges_.resize(fit.beta.size());
    for (std::size_t k = 0; k < y.size(); ++k) {
        if (observed_[k] != 0) {
            continue;
        }
        const double e = units.output_units()[k];
        const double n_k = (moments.outputs.weight(k) * forgetting_) / forgetting_;
        for (std::size_t i = 0; i < size; ++i) {
            const std::size_t j = fit.selected[i];
            beta_[(k * size) + i] = e > 0.0 ? units.input_unit(moments, j) * fit.beta[(k * size) + i] / e : 0.0;
            ridges_[(k * size) + i] = n_k > 0.0 ? column_ridge(moments, regression, fit, j, n_k) : 0.0;
        }
    }
}

bool AbsentOutputs::settle(Moments& moments, const Regression& regression, const Coefficients& fit,
                           double renormalised) {
    if (count_ == 0 || !refit_) {
        return false;
    }
    const std::size_t size = fit.selected.size();
    for (std::size_t k = 0; k < observed_.size(); ++k) {
        const double n_k = moments.outputs.weight(k);
        for (std::size_t i = 0; i < size && observed_[k] == 0 && n_k > 0.0; ++i) {
            const std::size_t j = fit.selected[i];
            const double gain =
                column_ridge(moments, regression, fit, j, n_k) - (ridges_[(k * size) + i] * renormalised);
            moments.inputs.add_cross(j, k, gain * beta_[(k * size) + i] * n_k / moments.inputs.weight());
        }
    }
    return true;
}

// What the ridge adds to C_jj, in the stored units of C.
double AbsentOutputs::column_ridge(const Moments& moments, const Regression& regression, const Coefficients& fit,
                                   std::size_t j, double n_k) const {
    const InputMoments& inputs = moments.inputs;
    if (scale_inputs_) {
        return regression.ridge(n_k) * inputs.square(j);
    }
    double sum = 0.0;
    for (const std::size_t i : fit.selected) {
        sum += std::ldexp(inputs.square(i), 2 * (inputs.units().exponent(i) - inputs.units().exponent(j)));
    }
    return regression.ridge(n_k) * sum / static_cast<double>(fit.selected.size());
}

}  // namespace sluice::core
