#include "byte_text.hpp"

#include <cmath>
#include <string_view>

#include "text.hpp"

namespace sluice::core {

namespace {

constexpr std::string_view kUnits = "KMGT";

std::string unit_name(unsigned unit) {
    return unit == 0 ? "" : std::string(1, kUnits[(unit / 10U) - 1U]);
}

}  // namespace

unsigned byte_unit(std::size_t bytes) {
    constexpr unsigned kLargest = 40;
    unsigned unit = 0;
    while (bytes > 0 && unit < kLargest && (bytes >> (unit + 10U)) << (unit + 10U) == bytes) {
        unit += 10U;
    }
    return unit;
}

std::string byte_text(std::size_t bytes) {
    const unsigned unit = byte_unit(bytes);
    return text(bytes >> unit) + unit_name(unit);
}

std::string byte_text_in(std::size_t bytes, unsigned unit) {
    if (unit == 0) {
        return text(bytes) + " bytes";
    }
    const double units = std::ldexp(static_cast<double>(bytes), -static_cast<int>(unit));
    return text(std::ceil(units * 100.0) / 100.0) + unit_name(unit);
}

}  // namespace sluice::core
