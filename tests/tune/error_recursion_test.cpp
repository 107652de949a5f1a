// The discounted error of the paper's eq. (23), and the weights that follow from it.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "mixture.hpp"
#include "sluice/simulate.hpp"

namespace sluice::tune {
namespace {

// Without a known variance the discounts keep equal shares, and the first rows count plain squares: what is left is the
// recursion E <- d E + e^2 for each discount d, and weights exp(-(E - min E) n / min E), n the discounted number of rows.
TEST(Mixture, WeightsAreThoseOfTheDiscountedErrorsOfEquation23) {
    const Grid grid{.memories = 2, .shrinkages = 2, .sizes = 3, .speeds = 1};
    Mixture mixture(1, grid);
    const std::vector<unsigned char> mixes(grid.memories, 1);
    mixture.weigh(mixes, grid.sizes);
    std::array<std::vector<double>, kDiscounts.size()> E;
    E.fill(std::vector<double>(grid.cells(), 0.0));
    std::array<double, kDiscounts.size()> n{};
    NormalSource noise(3);
    for (int row = 0; row < 15; ++row) {
        std::vector<double> base(grid.cells(), 0.0);
        std::ranges::generate(base, [&] { return noise.next(); });
        const double y = noise.next();
        mixture.score(0, y, base, mixture.forecast(0, base), 0.0);
        mixture.weigh(mixes, grid.sizes);

        std::vector<double> expected(grid.cells(), 0.0);
        for (std::size_t d = 0; d < kDiscounts.size(); ++d) {
            n[d] = (kDiscounts[d] * n[d]) + 1.0;
            double least = 1e300;
            for (std::size_t i = 0; i < grid.cells(); ++i) {
                E[d][i] = (kDiscounts[d] * E[d][i]) + ((y - base[i]) * (y - base[i]));  // eq. (23)
                least = i % grid.stride() < grid.sizes ? std::min(least, E[d][i]) : least;
            }
            std::vector<double> weights(grid.cells(), 0.0);
            double sum = 0.0;
            for (std::size_t i = 0; i < grid.cells(); ++i) {
                weights[i] = i % grid.stride() < grid.sizes ? std::exp(-(E[d][i] - least) * n[d] / least) : 0.0;
                sum += weights[i];
            }
            for (std::size_t i = 0; i < grid.cells(); ++i) {
                expected[i] += weights[i] / sum / static_cast<double>(kDiscounts.size());
            }
        }
        const auto weights = mixture.weights(0);
        for (std::size_t i = 0; i < grid.cells(); ++i) {
            EXPECT_NEAR(weights[i], expected[i], 1e-12) << "row " << row << ", reading " << i;  // other order of sums
        }
    }
}

}  // namespace
}  // namespace sluice::tune
