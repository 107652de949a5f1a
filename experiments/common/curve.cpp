#include "experiments/common/curve.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sluice::experiments {

namespace {

std::span<const double> stretch(std::span<const double> values, std::size_t from, std::size_t to) {
    return values.subspan(from - 1, to - from + 1);
}

}  // namespace

Curve curve_of(std::span<const std::vector<double>> runs) {
    const std::size_t rows = runs.empty() ? 0 : runs.front().size();
    const auto n = static_cast<double>(runs.size());
    Curve curve{.mean = std::vector<double>(rows), .sd = std::vector<double>(rows)};
    for (std::size_t t = 0; t < rows; ++t) {
        double sum = 0.0;
        for (const auto& run : runs) {
            sum += run[t];
        }
        const double mean = sum / n;
        double squares = 0.0;
        for (const auto& run : runs) {
            squares += (run[t] - mean) * (run[t] - mean);
        }
        curve.mean[t] = mean;
        curve.sd[t] = runs.size() < 2 ? 0.0 : std::sqrt(squares / (n - 1.0));
    }
    return curve;
}

std::optional<std::size_t> first_row_at(const Curve& curve, double level, std::size_t from, std::size_t to) {
    const auto part = stretch(curve.mean, from, to);
    const auto found = std::ranges::find_if(part, [&](double mean) { return mean >= level; });
    if (found == part.end()) {
        return std::nullopt;
    }
    return from + static_cast<std::size_t>(found - part.begin());
}

double average(std::span<const double> values, std::size_t from, std::size_t to) {
    const auto part = stretch(values, from, to);
    return std::accumulate(part.begin(), part.end(), 0.0) / static_cast<double>(part.size());
}

double largest(std::span<const double> values, std::size_t from, std::size_t to) {
    return std::ranges::max(stretch(values, from, to));
}

}  // namespace sluice::experiments
