// normal.cpp -- normal numbers by Marsaglia's polar method on the 64-bit Mersenne twister, whose bits the standard
// fixes. (std::normal_distribution differs from one library to the next.)
#include <cmath>

#include "sluice/simulate.hpp"

namespace sluice {

double NormalSource::uniform() {
    constexpr double kScale = 0x1p-52;  // 53 random bits onto [-1, 1)
    return (static_cast<double>(bits_() >> 11U) * kScale) - 1.0;
}

double NormalSource::next(double mean, double deviation) {
    if (has_spare_) {
        has_spare_ = false;
        return mean + (deviation * spare_);
    }
    double a = 0.0;
    double b = 0.0;
    double square = 0.0;
    do {
        a = uniform();
        b = uniform();
        square = (a * a) + (b * b);
    } while (square >= 1.0 || square == 0.0);
    const double factor = std::sqrt(-2.0 * std::log(square) / square);
    spare_ = b * factor;
    has_spare_ = true;
    return mean + (deviation * a * factor);
}

}  // namespace sluice
