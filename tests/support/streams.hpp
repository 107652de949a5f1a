// streams.hpp -- small streams for tests: a few hidden factors, outputs that follow some of the inputs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sluice/matrix.hpp"
#include "sluice/simulate.hpp"

namespace sluice::test {

struct Table {
    std::size_t p = 0;
    std::size_t q = 0;
    std::vector<double> x;
    std::vector<double> y;

    [[nodiscard]] std::size_t rows() const { return x.size() / p; }
    [[nodiscard]] std::span<const double> x_row(std::size_t t) const { return std::span(x).subspan(t * p, p); }
    [[nodiscard]] std::span<const double> y_row(std::size_t t) const { return std::span(y).subspan(t * q, q); }
    [[nodiscard]] std::span<double> x_row(std::size_t t) { return std::span(x).subspan(t * p, p); }
    [[nodiscard]] std::span<double> y_row(std::size_t t) { return std::span(y).subspan(t * q, q); }
    [[nodiscard]] Rows all_x() const { return {x, p}; }
    [[nodiscard]] Rows all_y() const { return {y, q}; }
};

/// Each input follows one of three hidden factors, plus noise of its own and a mean of its own. Output k follows
/// inputs k, k+1 and k+2 (modulo p) with coefficients 3, -2 and 1, plus a little noise.
inline Table factor_table(std::uint64_t seed, std::size_t rows, std::size_t p, std::size_t q) {
    NormalSource normal(seed);
    Table table{.p = p, .q = q, .x = {}, .y = {}};
    for (std::size_t t = 0; t < rows; ++t) {
        const double factors[] = {normal.next(), normal.next(), normal.next()};
        for (std::size_t j = 0; j < p; ++j) {
            table.x.push_back((0.7 * factors[j % 3]) + normal.next() + static_cast<double>(j % 5));
        }
        for (std::size_t k = 0; k < q; ++k) {
            const auto x = table.x_row(t);
            table.y.push_back((3.0 * x[k % p]) - (2.0 * x[(k + 1) % p]) + x[(k + 2) % p] + normal.next(1.0, 0.1));
        }
    }
    return table;
}

}  // namespace sluice::test
