#include "row_check.hpp"

#include <cmath>
#include <string>

#include "kernels.hpp"
#include "row.hpp"
#include "sluice/error.hpp"
#include "text.hpp"

namespace sluice::core {

bool check_row(std::span<const double> row, std::size_t width, const char* name, const char* what) {
    if (row.size() != width) {
        throw DataError(std::string(name) + " has " + text(row.size()) + " numbers: this model has " + text(width) +
                        " " + what);
    }
    if (kernels::within(row.data(), nullptr, row.size(), kInRange)) {
        return true;
    }
    for (std::size_t i = 0; i < width; ++i) {
        if (std::isinf(row[i])) {
            throw DataError(std::string(name) + "[" + text(i) + "] is " + text(row[i]) +
                            ": must be finite, or NaN where missing");
        }
    }
    return false;
}

std::size_t missing_in(std::span<const double> row) {
    return static_cast<std::size_t>(std::ranges::count_if(row, [](double value) { return std::isnan(value); }));
}

double error_of(std::span<const double> y, std::span<const double> predicted) {
    double error = 0.0;
    for (std::size_t k = 0; k < y.size(); ++k) {
        if (!std::isnan(y[k])) {
            const double own = std::abs(y[k] - predicted[k]);
            error = error == 0.0 ? own : std::hypot(error, own);
        }
    }
    return finite(error);
}

}  // namespace sluice::core
