// brent.cpp -- the threshold that keeps theta variables, found as a root of eq. (14) by Brent's method.
//
//     f(gamma) = #{ j : |z_j| > gamma } - theta                                                              eq. (14)
//
// f is a decreasing step function; Brent's method (inverse quadratic interpolation, secant, or bisection where those do
// not narrow the bracket) ends on the step f = 0, which is the interval between the (theta+1)-th and the theta-th
// largest. The model uses threshold_by_selection, which costs one pass; this one exists because the paper describes
// both.
#include <algorithm>
#include <cmath>
#include <limits>

#include "sparsify.hpp"

namespace sluice::core {

double threshold_by_root(std::span<const double> z, std::size_t keep) {
    auto f = [&](double gamma) {
        const auto survivors = std::ranges::count_if(z, [&](double a) { return std::abs(a) > gamma; });
        return static_cast<double>(survivors) - static_cast<double>(keep);
    };
    double largest = 0.0;
    for (const double a : z) {
        largest = std::max(largest, std::abs(a));
    }

    // b is the best guess, a the last one, and the root lies between b and c.
    double a = 0.0;
    double fa = f(a);
    double b = largest;
    double fb = f(b);
    if (fa <= 0.0) {
        return 0.0;  // no more than theta entries differ from zero
    }
    double c = a;
    double fc = fa;
    double step = b - a;
    double last_step = step;
    while (fb != 0.0) {
        if (std::abs(fc) < std::abs(fb)) {
            a = b;
            b = c;
            c = a;
            fa = fb;
            fb = fc;
            fc = fa;
        }
        const double tolerance = 2.0 * std::numeric_limits<double>::epsilon() * std::abs(b);
        const double half = (c - b) / 2.0;
        if (std::abs(half) <= tolerance) {
            break;  // a tie: f jumps over zero here
        }
        double trial = half;
        if (std::abs(last_step) > tolerance && std::abs(fa) > std::abs(fb)) {
            const double s = fb / fa;
            double numerator = 2.0 * half * s;
            double denominator = 1.0 - s;
            if (a != c) {
                const double q = fa / fc;
                const double r = fb / fc;
                numerator = s * ((2.0 * half * q * (q - r)) - ((b - a) * (r - 1.0)));
                denominator = (q - 1.0) * (r - 1.0) * (s - 1.0);
            }
            if (numerator > 0.0) {
                denominator = -denominator;
            }
            numerator = std::abs(numerator);
            const double bound = std::min((3.0 * half * denominator) - std::abs(tolerance * denominator),
                                          std::abs(last_step * denominator));
            if (2.0 * numerator < bound) {
                trial = numerator / denominator;
                last_step = step;
            } else {
                last_step = half;
            }
        } else {
            last_step = half;
        }
        step = trial;
        a = b;
        fa = fb;
        b += std::abs(step) > tolerance ? step : std::copysign(tolerance, half);
        fb = f(b);
        if ((fb > 0.0) == (fc > 0.0)) {
            c = a;
            fc = fa;
            step = b - a;
            last_step = step;
        }
    }
    return b;
}

}  // namespace sluice::core
