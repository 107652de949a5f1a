#include "cell.hpp"

#include <gtest/gtest.h>

#include "reading.hpp"

namespace sluice::test::cell_test {
namespace {

using Fault = io::CellReader::Fault;

double value_of(std::string_view cell, const Dialect& dialect = {}) {
    double value = 0.0;
    EXPECT_EQ(io::CellReader(dialect).read(cell, value), Fault::none) << cell;
    return value;
}

Fault fault_of(std::string_view cell, const Dialect& dialect = {}) {
    double value = 0.0;
    return io::CellReader(dialect).read(cell, value);
}

TEST(Cell, ReadsWhatProgramsWrite) {
    EXPECT_EQ(value_of("0"), 0.0);
    EXPECT_TRUE(same(value_of("-0"), -0.0));
    EXPECT_EQ(value_of("+1.5"), 1.5);
    EXPECT_EQ(value_of(".5"), 0.5);
    EXPECT_EQ(value_of("5."), 5.0);
    EXPECT_EQ(value_of("2.6890035e-001"), 0.26890035);
    EXPECT_EQ(value_of("1E+05"), 1e5);
    EXPECT_EQ(value_of("0.1234567890123456789012345"), 0.1234567890123456789012345);
    EXPECT_EQ(value_of("18446744073709551616"), 18446744073709551616.0);
    EXPECT_EQ(value_of("1,25", {.decimal = ','}), 1.25);
}

TEST(Cell, TheSmallestNumbersAreReadAndSmallerOnesAreZero) {
    EXPECT_EQ(value_of("4.9e-324"), std::numeric_limits<double>::denorm_min());
    EXPECT_EQ(value_of("2.2250738585072014e-308"), std::numeric_limits<double>::min());
    EXPECT_EQ(value_of("1.7976931348623157e308"), std::numeric_limits<double>::max());
    EXPECT_EQ(value_of("1e-400"), 0.0);
}

TEST(Cell, EmptyAndMarkedCellsAreMissing) {
    for (const char* cell : {"", "NA", "N/A", "NaN", "nan", "null", "NULL"}) {
        EXPECT_TRUE(std::isnan(value_of(cell))) << cell;
    }
    EXPECT_EQ(fault_of("na"), Fault::not_a_number);
    EXPECT_EQ(fault_of("nan", {.missing = {}}), Fault::not_a_number);
    EXPECT_TRUE(std::isnan(value_of("?", {.missing = {"?"}})));
}

TEST(Cell, AMarkerThatIsANumberIsComparedAsANumber) {
    const Dialect dialect{.missing = {"-200", "1e3"}};
    for (const char* cell : {"-200", "-200.0", "-2e2", "1000", "+1000.", "1e3"}) {
        EXPECT_TRUE(std::isnan(value_of(cell, dialect))) << cell;
    }
    EXPECT_EQ(value_of("200", dialect), 200.0);
}

TEST(Cell, InfinitiesAreRefusedUnlessNamedAsMissing) {
    for (const char* cell : {"inf", "-inf", "Infinity", "+INF"}) {
        EXPECT_EQ(fault_of(cell), Fault::infinite) << cell;
    }
    for (const char* cell : {"1e400", "-1e400", "1e999999999999999999999"}) {
        EXPECT_EQ(fault_of(cell), Fault::too_large) << cell;
    }
    EXPECT_TRUE(std::isnan(value_of("inf", {.missing = {"inf"}})));
    EXPECT_TRUE(std::isnan(value_of("1e400", {.missing = {"1e400"}})));
    EXPECT_EQ(io::trouble_of(Fault::infinite, "inf", '.', ';').reason, "is infinite");
    EXPECT_EQ(io::trouble_of(Fault::too_large, "1e400", '.', ';').reason, "is too large for a number");
    for (const Fault fault : {Fault::infinite, Fault::too_large}) {
        EXPECT_EQ(io::trouble_of(fault, "inf", '.', ';').remedies,
                  (io::Remedies{io::Remedy::mark_missing, io::Remedy::skip_bad_rows}));
    }
}

TEST(Cell, WhatIsNoNumberIsRefused) {
    for (const char* cell : {"x", "1x", "1 2", "1,5", "0x10", "+-1", "--1", "+", "-", ".", "e5", "1e", "nan(7)", "-nan",
                             "10/03/2004", "18:00:00", "true"}) {
        EXPECT_EQ(fault_of(cell), Fault::not_a_number) << cell;
    }
}

}  // namespace
}  // namespace sluice::test::cell_test
