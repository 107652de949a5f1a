#include "column_units.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace sluice::core::column_units_test {
namespace {

TEST(ColumnUnits, AFirstValueNearOneIsStoredAsItComes) {
    const ColumnUnits units(1, 32, 0x1p64);
    EXPECT_EQ(units.needed(0, 0x1p32), 0);
    EXPECT_EQ(units.needed(0, -0x1p-32), 0);
    EXPECT_EQ(units.needed(0, 0x1p33), 33);
    EXPECT_EQ(units.needed(0, -0x1.8p-33), -33);
    EXPECT_EQ(units.needed(0, 0.0), std::nullopt);
}

TEST(ColumnUnits, AValueTooLargeForItsUnitMovesItAndTheFactorKeepsStoredValues) {
    ColumnUnits units(2, 32, 0x1p64);
    EXPECT_EQ(units.set(1, 0), 1.0);
    EXPECT_EQ(units.needed(1, 0x1p64), std::nullopt);
    const double stored = 3.0 * units.unit(1);
    ASSERT_EQ(units.needed(1, 0x1.4p70), 70);
    const double factor = units.set(1, 70);
    EXPECT_EQ(units.in_callers_units(1, stored * factor), 3.0);
    EXPECT_EQ(units.needed(1, 1e-300), std::nullopt);  // a unit never becomes smaller
    EXPECT_FALSE(units.known(0));
}

TEST(ColumnUnits, SquaresOfTheLargestAndTheSmallestNumbersAreOrdinaryOnes) {
    for (const double value : {1e-150, 1e150, 1e-307, 1e307}) {
        ColumnUnits units(1, 32, 0x1p64);
        units.set(0, units.needed(0, value).value());
        const double stored = value * units.unit(0);
        EXPECT_GT(stored * stored, 1e-20) << value;
        EXPECT_LT(stored * stored, 1e40) << value;
        EXPECT_EQ(units.in_callers_units(0, stored), value);
    }
}

TEST(ColumnUnits, ExponentsOutOfRangeAreRefused) {
    ColumnUnits units(2, 32, 0x1p64);
    EXPECT_TRUE(units.assign({ColumnUnits::kUnknown, -1000}));
    EXPECT_EQ(units.unit(0), 1.0);
    EXPECT_EQ(units.unit(1), 0x1p1000);
    EXPECT_FALSE(units.assign({0, 1001}));
}

TEST(ColumnUnits, TheLargestExponentIsThatOfTheColumnsThatCount) {
    const std::vector<int> exponents = {5, -3, 9, ColumnUnits::kUnknown};
    auto exponent = [&](std::size_t j) { return exponents[j]; };
    EXPECT_EQ(largest_exponent(4, exponent, [](std::size_t j) { return j != 2; }), 5);
    EXPECT_EQ(largest_exponent(4, exponent, [](std::size_t j) { return j == 1; }), -3);
    EXPECT_EQ(largest_exponent(4, exponent, [](std::size_t) { return false; }), 0);
}

}  // namespace
}  // namespace sluice::core::column_units_test
