// column_units.hpp -- each column of a table is stored in its own power of two, so that squares of 1e150 and of 1e-150 are
// ordinary numbers. Multiplying by a power of two is exact: units change no digit.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <optional>
#include <vector>

#include "buffer.hpp"

namespace sluice::core {

/// 2^1000 and 2^-1000 are both normal numbers, and so are their inverses.
constexpr int kExponentLimit = 1000;

inline double power_of_two(int exponent) {
    return std::ldexp(1.0, exponent);
}

/// value 2^exponent; most columns have exponent 0, which needs no call.
inline double times_power_of_two(double value, int exponent) {
    return exponent == 0 ? value : std::ldexp(value, exponent);
}

/// The exponent of a value that is not zero, within the limit.
inline int exponent_of(double value) {
    return std::clamp(std::ilogb(value), -kExponentLimit, kExponentLimit);
}

/// The largest of exponent(column) over the columns for which counts(column) holds; 0 where it holds for none.
template <typename Exponent, typename Counts>
[[nodiscard]] int largest_exponent(std::size_t columns, const Exponent& exponent, const Counts& counts) {
    constexpr int kLowest = std::numeric_limits<int>::min();
    int largest = kLowest;
    for (std::size_t column = 0; column < columns; ++column) {
        if (exponent(column) > largest && counts(column)) {
            largest = exponent(column);
        }
    }
    return largest == kLowest ? 0 : largest;
}

/// stored value = caller's value * 2^-exponent. A column takes its unit from its first value that is not zero, and takes a
/// larger one where a later value is too large for it.
class ColumnUnits {
  public:
    static constexpr int kUnknown = -10000;  // only zeros were met so far

    /// plain: a first value within 2^+-plain is stored as it comes. most: a stored value above it moves the unit.
    ColumnUnits(std::size_t columns, int plain, double most)
        : plain_(plain), most_(most), exponent_(columns, kUnknown), unit_(padded(columns)) {
        std::ranges::fill(unit_.all(), 1.0);
    }

    [[nodiscard]] std::size_t size() const { return exponent_.size(); }
    [[nodiscard]] bool known(std::size_t column) const { return exponent_[column] != kUnknown; }
    [[nodiscard]] int exponent(std::size_t column) const { return exponent_[column]; }
    [[nodiscard]] const std::vector<int>& exponents() const { return exponent_; }
    /// 2^-exponent
    [[nodiscard]] double unit(std::size_t column) const { return unit_[column]; }
    [[nodiscard]] const double* units() const { return unit_.data(); }

    /// The exponent that the column must take before `value` is stored, where the present one does not serve.
    [[nodiscard]] std::optional<int> needed(std::size_t column, double value) const {
        if ((known(column) && std::abs(value * unit_[column]) <= most_) || value == 0.0) {
            return std::nullopt;
        }
        const int exponent = exponent_of(value);
        return !known(column) && std::abs(exponent) <= plain_ ? 0 : exponent;
    }
    /// Returns what stored values of the column must be multiplied by; 1 where there were only zeros.
    double set(std::size_t column, int exponent) {
        const double factor =
            known(column) ? power_of_two(std::max(exponent_[column] - exponent, -kExponentLimit)) : 1.0;
        exponent_[column] = exponent;
        unit_[column] = power_of_two(-exponent);
        return factor;
    }

    [[nodiscard]] double in_callers_units(std::size_t column, double stored) const {
        return stored == 0.0 ? 0.0 : times_power_of_two(stored, exponent_[column]);
    }
    [[nodiscard]] std::size_t bytes() const { return unit_.bytes() + (exponent_.size() * sizeof(int)); }
    /// False: an exponent is out of range.
    [[nodiscard]] bool assign(const std::vector<int>& exponents) {
        for (std::size_t column = 0; column < exponents.size(); ++column) {
            const int exponent = exponents[column];
            if (exponent != kUnknown && std::abs(exponent) > kExponentLimit) {
                return false;
            }
            exponent_[column] = exponent;
            unit_[column] = exponent == kUnknown ? 1.0 : power_of_two(-exponent);
        }
        return true;
    }

  private:
    int plain_;
    double most_;
    std::vector<int> exponent_;
    Buffer<double> unit_;  // 2^-exponent
};

/// Units of the moments: first values up to 2^32 are stored as they come, and a unit serves up to 2^64.
inline ColumnUnits moment_units(std::size_t columns) {
    return {columns, 32, 0x1p64};
}

}  // namespace sluice::core
