#include "quantiles.hpp"

#include <cassert>
#include <cmath>
#include <numbers>

namespace sluice::baselines {

namespace {

// Bisection ends where there is no number between the two.
template <typename Function>
double root(double low, double high, const Function& below) {
    for (double middle = 0.5 * (low + high); middle > low && middle < high; middle = 0.5 * (low + high)) {
        (below(middle) ? low : high) = middle;
    }
    return 0.5 * (low + high);
}

// The regularized incomplete beta function I_x(a, b): Lentz's method on its continued fraction (Abramowitz and Stegun 26.5.8),
//     I = x^a (1 - x)^b / (a B(a, b)) * 1 / (1 + d_1 / (1 + d_2 / (1 + ...)))
// which converges quickly for x < (a + 1) / (a + b + 2); else I_x(a, b) = 1 - I_(1-x)(b, a).
double beta_share(double x, double a, double b) {
    if (x <= 0.0 || x >= 1.0) {
        return x <= 0.0 ? 0.0 : 1.0;
    }
    if (x > (a + 1.0) / (a + b + 2.0)) {
        return 1.0 - beta_share(1.0 - x, b, a);
    }
    const double front =
        std::exp((a * std::log(x)) + (b * std::log1p(-x)) + std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b)) / a;
    constexpr double kTiny = 1e-300;
    double value = 1.0;
    double c = 1.0;
    double d = 0.0;
    for (int i = 0; i < 1000; ++i) {
        const int m = i / 2;
        double term = 1.0;
        if (i % 2 == 1) {
            term = -(a + m) * (a + b + m) * x / ((a + (2.0 * m)) * (a + (2.0 * m) + 1.0));
        } else if (i > 0) {
            term = m * (b - m) * x / ((a + (2.0 * m) - 1.0) * (a + (2.0 * m)));
        }
        d = 1.0 + (term * d);
        d = 1.0 / (std::abs(d) < kTiny ? kTiny : d);
        c = 1.0 + (term / c);
        c = std::abs(c) < kTiny ? kTiny : c;
        value *= c * d;
        if (i > 0 && std::abs(1.0 - (c * d)) < 1e-15) {
            break;
        }
    }
    return front * (value - 1.0);
}

}  // namespace

double normal_quantile(double p) {
    assert(p > 0.0 && p < 1.0);
    return root(-40.0, 40.0, [&](double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2) < p; });
}

double f_quantile(double p, double numerator, double denominator) {
    assert(p > 0.0 && p < 1.0 && numerator > 0.0 && denominator > 0.0);
    // F = (x / (1 - x)) (denominator / numerator), with x of the beta distribution.
    const double x = root(0.0, 1.0, [&](double s) { return beta_share(s, 0.5 * numerator, 0.5 * denominator) < p; });
    return x / (1.0 - x) * denominator / numerator;
}

}  // namespace sluice::baselines
