// selection_stream.cpp -- a stream of which a few inputs drive the output, and from one row on other inputs.
//
//     x_{t,j} = sqrt(rho) f_t + sqrt(1 - rho) e_{t,j}        f, e standard normal: any two inputs have correlation rho
//     y_t     = sum_{j in S} b_j x_{t,j} + n_t               |b_j| uniform in [1, 2), either sign
//     var n   = v / snr,   v = (1 - rho) sum b_j^2 + rho (sum b_j)^2          the variance of the signal
//
// S, b and var n are drawn before the first row, for both phases: a later change_at moves the change and nothing else.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "sluice/error.hpp"
#include "sluice/simulate.hpp"
#include "uniform.hpp"

namespace sluice {

std::vector<std::string> SelectionOptions::problems() const {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    std::vector<std::string> problems;
    const auto require = [&](bool kept, const char* rule) {
        if (!kept) {
            problems.emplace_back(rule);
        }
    };
    require(inputs >= 1, "inputs: must be at least 1");
    const std::size_t most = std::max<std::size_t>(inputs, 1);
    const std::size_t after = change_at > 0 ? drivers_after.value_or(drivers) : 0;
    require(drivers <= most && after <= most - drivers,
            "drivers: must be at most the number of inputs, together with drivers_after, which are other inputs");
    require(correlation >= 0.0 && correlation < 1.0, "correlation: must be from 0 to below 1");
    require(signal_to_noise > 0.0 && signal_to_noise < kInfinity, "signal_to_noise: must be above 0, and finite");
    return problems;
}

SelectionStream::SelectionStream(const SelectionOptions& options, std::uint64_t seed)
    : options_(options), normal_(seed) {
    if (auto problems = options.problems(); !problems.empty()) {
        throw OptionError(std::move(problems));
    }
    std::mt19937_64 bits(seed + 1);
    std::vector<std::size_t> order(options.inputs);
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t i = 0; i + 1 < order.size(); ++i) {  // Fisher and Yates
        const auto step = static_cast<std::size_t>(uniform(bits) * static_cast<double>(order.size() - i));
        std::swap(order[i], order[i + step]);
    }
    const auto draw = [&](std::size_t first, std::size_t count) {
        Truth truth;
        const auto from = order.begin() + static_cast<std::ptrdiff_t>(first);
        truth.drivers.assign(from, from + static_cast<std::ptrdiff_t>(count));
        std::ranges::sort(truth.drivers);
        double sum = 0.0;
        double squares = 0.0;
        for (std::size_t i = 0; i < count; ++i) {
            const double sign = uniform(bits) < 0.5 ? -1.0 : 1.0;
            const double coefficient = sign * (1.0 + uniform(bits));
            truth.coefficients.push_back(coefficient);
            sum += coefficient;
            squares += coefficient * coefficient;
        }
        truth.signal_variance = ((1.0 - options.correlation) * squares) + (options.correlation * sum * sum);
        truth.noise_variance = count > 0 ? truth.signal_variance / options.signal_to_noise : 1.0;
        return truth;
    };
    before_ = draw(0, options.drivers);
    if (options.change_at > 0) {
        after_ = draw(options.drivers, options.drivers_after.value_or(options.drivers));
    }
}

const SelectionStream::Truth& SelectionStream::truth() const noexcept {
    return options_.change_at > 0 && row_ > options_.change_at ? after_ : before_;
}

double SelectionStream::next(std::span<double> x) {
    ++row_;
    const double common = std::sqrt(options_.correlation) * normal_.next();
    const double own = std::sqrt(1.0 - options_.correlation);
    for (double& value : x) {
        value = common + (own * normal_.next());
    }
    const Truth& now = truth();
    double y = normal_.next(0.0, std::sqrt(now.noise_variance));
    for (std::size_t i = 0; i < now.drivers.size(); ++i) {
        y += now.coefficients[i] * x[now.drivers[i]];
    }
    return y;
}

}  // namespace sluice
