// breaking.hpp -- streams whose relation breaks: what a self-tuning model is there for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>

#include "sluice/simulate.hpp"
#include "support/streams.hpp"

namespace sluice::test {

struct Breaking {
    std::size_t rows = 240;
    std::size_t p = 10;
    std::size_t q = 2;
    std::size_t every = 60;      ///< rows between breaks
    double noise = 0.3;          ///< of the outputs
    double missing_share = 0.0;  ///< of the inputs, and of the outputs; now and then no output is there
};

/// Independent inputs about means of their own. In phase i, output k follows inputs 3 i + k and 3 i + k + 1 (modulo p).
inline Table breaking_table(std::uint64_t seed, const Breaking& how) {
    NormalSource normal(seed);
    std::mt19937_64 gaps(seed + 1);
    std::uniform_real_distribution<double> uniform(0.0, 1.0);
    constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
    Table table{.p = how.p, .q = how.q, .x = {}, .y = {}};
    for (std::size_t t = 0; t < how.rows; ++t) {
        const std::size_t phase = t / how.every;
        for (std::size_t j = 0; j < how.p; ++j) {
            table.x.push_back(normal.next(static_cast<double>(j % 4), 1.0));
        }
        const auto x = table.x_row(t);
        for (std::size_t k = 0; k < how.q; ++k) {
            const std::size_t first = ((3 * phase) + k) % how.p;
            table.y.push_back((3.0 * x[first]) - (2.0 * x[(first + 1) % how.p]) + normal.next(5.0, how.noise));
        }
        if (how.missing_share > 0.0) {
            for (double& value : table.x_row(t)) {
                value = uniform(gaps) < how.missing_share ? kNaN : value;
            }
            const bool none = uniform(gaps) < how.missing_share;
            for (double& value : table.y_row(t)) {
                value = none || uniform(gaps) < how.missing_share ? kNaN : value;
            }
        }
    }
    return table;
}

}  // namespace sluice::test
