#include "output_scale.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "sluice/simulate.hpp"
#include "state.hpp"

namespace sluice::tune::output_scale_test {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

TEST(OutputScale, IsTheDiscountedVarianceOfTheValuesThatWereObserved) {
    NormalSource normal(1);
    OutputScale scale(2);
    const std::vector<double> units = {1.0, 0.25};
    std::vector<double> seen;
    for (std::size_t t = 0; t < 400; ++t) {
        const std::vector<double> y = {t % 3 == 1 ? kNaN : normal.next(100.0, 2.0), normal.next(-5.0, 8.0)};
        scale.add(y, units);
        if (!std::isnan(y[0])) {
            seen.push_back(y[0]);
        }
    }
    double weight = 0.0;
    double mean = 0.0;
    double square = 0.0;
    for (const double value : seen) {
        weight = (0.995 * weight) + 1.0;
        mean = (0.995 * mean) + value;
        square = (0.995 * square) + (value * value);
    }
    mean /= weight;
    EXPECT_NEAR(scale.variance(0), (square / weight) - (mean * mean), 1e-8);  // the difference of squares near 1e4
    EXPECT_NEAR(scale.variance(1), 4.0, 1.0);                                 // 64 in the caller's unit
    scale.change_unit(1, 8.0);
    EXPECT_NEAR(scale.variance(1), 256.0, 64.0);
}

TEST(OutputScale, IsZeroForAnOutputThatHasNotVaried) {
    OutputScale scale(3);
    for (int row = 0; row < 50; ++row) {
        scale.add(std::vector<double>{1e6 + 0.1, kNaN, 0.0}, std::vector<double>{1.0, 1.0, 1.0});
        for (std::size_t k = 0; k < 3; ++k) {
            ASSERT_EQ(scale.variance(k), 0.0);
        }
    }
}

TEST(OutputScale, GoesOnBitForBitAfterItWasSaved) {
    NormalSource normal(2);
    OutputScale scale(1);
    for (int row = 0; row < 60; ++row) {
        core::StateWriter out;
        scale.save(out);
        const auto bytes = std::move(out).unframed();
        auto in = core::StateReader::unframed(bytes);
        OutputScale again(1);
        again.load(in);
        ASSERT_EQ(in.left(), 0U);
        const double y = normal.next(3.0, 1.0);
        scale.add({&y, 1}, std::vector<double>{1.0});
        again.add({&y, 1}, std::vector<double>{1.0});
        ASSERT_EQ(again.variance(0), scale.variance(0));
    }
}

}  // namespace
}  // namespace sluice::tune::output_scale_test
