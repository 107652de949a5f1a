#include "start_up_units.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "power_of_two.hpp"

namespace sluice::baselines {

void StartUpUnits::set(std::span<const double> rows, std::size_t width, std::size_t first) {
    assert(first + size() <= width && rows.size() % width == 0);
    for (std::size_t j = 0; j < size(); ++j) {
        double mean = 0.0;
        double count = 0.0;
        for (std::size_t at = first + j; at < rows.size(); at += width) {
            if (!std::isnan(rows[at])) {
                count += 1.0;
                mean += (rows[at] - mean) / count;
            }
        }
        double largest = 0.0;
        for (std::size_t at = first + j; at < rows.size(); at += width) {
            largest = std::isnan(rows[at]) ? largest : std::max(largest, std::abs(rows[at] - mean));
        }
        const double near = power_of_two_near(largest);  // so that squares neither overflow nor underflow
        double squares = 0.0;
        for (std::size_t at = first + j; at < rows.size(); at += width) {
            const double deviation = (rows[at] - mean) / near;
            squares += std::isnan(rows[at]) ? 0.0 : deviation * deviation;
        }
        const double spread = squares > 0.0 ? near * std::sqrt(squares / count) : 0.0;
        centre_[j] = mean;
        unit_[j] = spread > 0.0 ? spread : power_of_two_near(std::abs(mean));
    }
}

double StartUpUnits::standardised(double value, std::size_t j) const {
    constexpr double largest = 1e100;
    return std::clamp((value - centre_[j]) / unit_[j], -largest, largest);
}

}  // namespace sluice::baselines
