#include "row_check.hpp"

#include <cmath>
#include <string>

#include "kernels.hpp"
#include "moments.hpp"
#include "sluice/error.hpp"
#include "text.hpp"

namespace sluice::core {

bool check_row(std::span<const double> row, std::size_t width, const char* name, const char* what) {
    if (row.size() != width) {
        throw DataError(std::string(name) + " has " + text(row.size()) + " numbers: this model has " + text(width) +
                        " " + what);
    }
    if (kernels::within(row.data(), nullptr, row.size(), Moments::kTame)) {
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

}  // namespace sluice::core
