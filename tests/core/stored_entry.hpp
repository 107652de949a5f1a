// stored_entry.hpp -- one entry of C as an engine has it.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <span>

#include "moments.hpp"

namespace sluice::core {

// C_ij as stored.
inline double entry(const Moments& moments, std::size_t i, std::size_t j) {
    const double one = 1.0;
    double value = 0.0;
    const std::size_t both[] = {i, j};
    EXPECT_TRUE(
        moments.gram().prepare(std::span(both).first(i == j ? 1 : 2), moments.input_squares(), moments.workers()));
    moments.gram().multiply_at({&j, 1}, {&one, 1}, {&i, 1}, {&value, 1});
    return value;
}

}  // namespace sluice::core
