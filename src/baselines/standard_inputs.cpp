#include "standard_inputs.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace sluice::baselines {

namespace {

// A deviation below this share of the mean is the rounding of the mean: the input does not vary.
constexpr double kRoundingOfMean = 16.0 * std::numeric_limits<double>::epsilon();
// Deviations below this are set to zero, before they become denormal numbers.
constexpr double kNoDeviation = 1e-250;

}  // namespace

StandardInputs::StandardInputs(std::size_t inputs)
    : last_(inputs), known_(inputs, 0), m_(inputs, 0.0), s_(inputs, 0.0), z_(inputs, 0.0), carry_(inputs, 1.0) {}

void StandardInputs::add(std::span<const double> x, double gain) {
    assert(x.size() == size() && gain > 0.0 && gain <= 1.0);
    last_.see(x);
    const double root_gain = std::sqrt(gain);
    const double root_rest = std::sqrt(1.0 - gain);
    for (std::size_t j = 0; j < size(); ++j) {
        if (known_[j] == 0) {
            if (std::isnan(x[j])) {
                continue;
            }
            known_[j] = 1;
            m_[j] = x[j];
        }
        const double e = last_.values()[j] - m_[j];
        const double before = scale(j);
        m_[j] += gain * e;
        s_[j] = root_rest * std::hypot(s_[j], root_gain * e);
        s_[j] = s_[j] < kNoDeviation ? 0.0 : s_[j];
        const double after = scale(j);
        carry_[j] = before > 0.0 ? after / before : 0.0;
        z_[j] = standard(x, j);
    }
}

double StandardInputs::scale(std::size_t j) const {
    return s_[j] > kRoundingOfMean * std::abs(m_[j]) ? 1.0 / s_[j] : 0.0;
}

double StandardInputs::standard(std::span<const double> x, std::size_t j) const {
    const double inverse = scale(j);
    if (inverse == 0.0 || known_[j] == 0) {
        return 0.0;
    }
    return std::clamp((last_.fill(x, j) - m_[j]) * inverse, -kMostDeviations, kMostDeviations);
}

}  // namespace sluice::baselines
