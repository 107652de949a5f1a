// moment_helpers.hpp -- moments without a model around them: a row added, one entry of C as an engine has it.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <span>
#include <vector>

#include "moments.hpp"

namespace sluice::core {

// As StreamModel adds a row, without a step to aim for.
inline void add_row(Moments& moments, std::span<const double> x, std::span<const double> y,
                    std::span<const unsigned char> observed) {
    const Row row{.x = x, .y = y, .observed = observed};
    const std::vector<double> e(y.size(), 1.0);
    moments.forget();
    moments.adopt_units(row);
    moments.outputs.add(y, observed);
    (void)moments.inputs.add(row, moments.outputs.deviations(), {.e = e}, nullptr);
}

// C_ij as stored.
inline double entry(const Moments& moments, std::size_t i, std::size_t j) {
    const double one = 1.0;
    double value = 0.0;
    const std::size_t both[] = {i, j};
    EXPECT_TRUE(moments.inputs.gram().prepare(std::span(both).first(i == j ? 1 : 2), moments.inputs.squares(),
                                              moments.inputs.workers()));
    moments.inputs.gram().multiply_at({&j, 1}, {&one, 1}, {&i, 1}, {&value, 1});
    return value;
}

}  // namespace sluice::core
