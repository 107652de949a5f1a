// arriving.hpp -- streams whose last inputs appear later, and what a model makes of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "sluice/matrix.hpp"
#include "support/streams.hpp"

namespace sluice::test {

/// Independent inputs about means of their own. The outputs follow inputs 0 and 1; from row `appear` on, the last `count`
/// inputs have values, and the last one drives the outputs.
struct Arriving {
    std::size_t rows = 300;
    std::size_t p = 12;
    std::size_t q = 1;
    std::size_t count = 3;
    std::size_t appear = 150;
};

inline Table arriving_table(std::uint64_t seed, const Arriving& how) {
    NormalSource normal(seed);
    Table table{.p = how.p, .q = how.q, .x = {}, .y = {}};
    for (std::size_t t = 0; t < how.rows; ++t) {
        for (std::size_t j = 0; j < how.p; ++j) {
            const double value = normal.next(static_cast<double>(j % 4), 1.0);
            const bool missing = t < how.appear && j + how.count >= how.p;
            table.x.push_back(missing ? std::numeric_limits<double>::quiet_NaN() : value);
        }
        const auto x = table.x_row(t);
        for (std::size_t k = 0; k < how.q; ++k) {
            const double of_new = t < how.appear ? 0.0 : 4.0 * x[how.p - 1];
            table.y.push_back((3.0 * x[k % 2]) - (2.0 * x[(k + 1) % 2]) + of_new + normal.next(5.0, 0.3));
        }
    }
    return table;
}

/// The first inputs of a row: what a model knows before the others are added.
inline std::span<const double> narrow_row(const Table& table, std::size_t t, std::size_t inputs) {
    return table.x_row(t).first(inputs);
}

}  // namespace sluice::test
