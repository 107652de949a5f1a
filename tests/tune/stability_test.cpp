#include "stability.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace sluice::tune::stability_test {
namespace {

TEST(Stability, IsTheDiscountedShareOfRowsByASlowSum) {
    constexpr std::size_t p = 6;
    constexpr std::size_t kRows = 30000;  // the unit starts over after some 23,000
    Stability stability(p);
    EXPECT_EQ(stability.shares(), std::vector<double>(p, 0.0));
    std::vector<double> count(p, 0.0);
    double total = 0.0;
    for (std::size_t row = 0; row < kRows; ++row) {
        std::vector<std::size_t> selected;
        for (std::size_t j = 0; j < p; ++j) {
            if (j == 0 || (j < p - 1 && (row / (10 * j)) % 3 == 0)) {
                selected.push_back(j);
            }
        }
        stability.add(selected);
        total = (0.99 * total) + 1.0;
        for (double& c : count) {
            c *= 0.99;
        }
        for (const std::size_t j : selected) {
            count[j] += 1.0;
        }
        if (row % 97 == 0 || (row > 22500 && row < 23500)) {
            const auto shares = stability.shares();
            for (std::size_t j = 0; j < p; ++j) {  // either sum rounds at 1e-16 a row, over a hundred rows
                ASSERT_NEAR(shares[j], count[j] / total, 1e-12) << "row " << row << ", input " << j;
            }
            ASSERT_EQ(shares[0], 1.0);
            ASSERT_EQ(shares[p - 1], 0.0);
        }
    }
}

}  // namespace
}  // namespace sluice::tune::stability_test
