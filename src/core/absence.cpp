// absence.cpp -- an output that is absent keeps its coefficients, however long.
//
//     (C + ridge) beta = M                                                            the refit, for one output
//
// The absent output is filled in with x beta, which adds x'x beta to its column of M, as C gains x'x. That alone would
// keep beta as it is were it not for the ridge, which is in proportion to the diagonal of C and gains too: M is given
// what the ridge gains, times beta. Without this, an output absent for some hundred rows would fade to its mean. (Without
// filling in at all, M falls out of step with C: on the air quality stream the error rises from 0.081 to 0.136.)
// With `deflation = project` there is no ridge and nothing to do.
#include <cmath>

#include "step.hpp"

namespace sluice::core {

void Step::before_absences(const Moments& moments) {
    const std::size_t size = fit_.selected.size();
    absent_beta_.resize(fit_.beta.size());
    for (std::size_t i = 0; i < size; ++i) {
        const double d = working_.input_unit(moments, fit_.selected[i]);
        for (std::size_t k = 0; k < inner_.size(); ++k) {
            const double e = working_.output_units()[k];
            absent_beta_[(k * size) + i] = e > 0.0 ? d * fit_.beta[(k * size) + i] / e : 0.0;
        }
    }
}

void Step::before_absence(const Moments& moments, std::size_t k) {
    const std::size_t size = fit_.selected.size();
    ridges_.resize(fit_.beta.size());
    for (std::size_t i = 0; i < size && refit_; ++i) {
        const double n_k = moments.output_weight(k) / options_.forgetting;
        ridges_[(k * size) + i] = n_k > 0.0 ? column_ridge(moments, fit_.selected[i], n_k) : 0.0;
    }
}

void Step::after_absence(Moments& moments, std::size_t k) const {
    const std::size_t size = fit_.selected.size();
    const double n_k = moments.output_weight(k);
    for (std::size_t i = 0; i < size && n_k > 0.0 && refit_; ++i) {
        const std::size_t j = fit_.selected[i];
        const double gain = column_ridge(moments, j, n_k) - ridges_[(k * size) + i];
        moments.add_cross(j, k, gain * absent_beta_[(k * size) + i] * n_k / moments.weight());
    }
}

// What the ridge adds to C_jj, in the stored units of C.
double Step::column_ridge(const Moments& moments, std::size_t j, double n_k) const {
    if (options_.scale_inputs) {
        return regression_.ridge(n_k) * moments.input_square(j);
    }
    double sum = 0.0;
    for (const std::size_t i : fit_.selected) {
        sum += std::ldexp(moments.input_square(i), 2 * (moments.input_exponent(i) - moments.input_exponent(j)));
    }
    return regression_.ridge(n_k) * sum / static_cast<double>(fit_.selected.size());
}

}  // namespace sluice::core
