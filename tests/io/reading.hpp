// reading.hpp -- reads a whole text and keeps what came out of it, for tests of the readers.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "row_reader.hpp"
#include "source.hpp"

namespace sluice::test {

using io::Dialect;
using io::Position;
using io::Row;
using io::RowError;

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

struct Reading {
    std::vector<std::string> columns;
    std::vector<Row> rows;
    std::vector<RowError> errors;
    std::vector<Position> positions;  ///< before each call, and at the end
};

/// Columns from a reader as they are, all of them as numbers and as texts where asked for.
inline Reading drain(io::RowReader& reader, bool numbers = true, bool texts = false) {
    Reading out;
    out.columns = reader.columns();
    std::vector<std::size_t> all(out.columns.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    reader.want(numbers ? all : std::vector<std::size_t>{}, texts ? all : std::vector<std::size_t>{});
    Row row;
    for (;;) {
        out.positions.push_back(reader.position());
        try {
            if (!reader.next(row)) {
                return out;
            }
            out.rows.push_back(row);
        } catch (const RowError& error) {
            out.errors.push_back(error);
        }
    }
}

constexpr std::size_t kWhole = std::size_t{1} << 20U;

inline std::unique_ptr<io::RowReader> reader_of(std::string text, const Dialect& dialect = {},
                                                std::size_t piece = kWhole) {
    return io::open_rows(io::memory_source(std::move(text), piece), dialect);
}

inline Reading reading_of(std::string text, const Dialect& dialect = {}, std::size_t piece = kWhole) {
    return drain(*reader_of(std::move(text), dialect, piece));
}

inline Reading texts_of(std::string text, const Dialect& dialect = {}) {
    return drain(*reader_of(std::move(text), dialect), false, true);
}

/// Equal to the bit, but that any NaN equals any other.
inline bool same(double a, double b) {
    return (std::isnan(a) && std::isnan(b)) || std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

inline bool same(const std::vector<double>& a, const std::vector<double>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](double x, double y) { return same(x, y); });
}

/// Rows, errors and positions alike.
inline bool same(const Reading& a, const Reading& b) {
    const auto same_row = [](const Row& x, const Row& y) {
        return same(x.numbers, y.numbers) && x.texts == y.texts && x.at == y.at;
    };
    const auto same_error = [](const RowError& x, const RowError& y) {
        return x.at() == y.at() && x.column() == y.column() && x.value() == y.value() && x.reason() == y.reason();
    };
    return a.columns == b.columns && a.positions == b.positions &&
           std::equal(a.rows.begin(), a.rows.end(), b.rows.begin(), b.rows.end(), same_row) &&
           std::equal(a.errors.begin(), a.errors.end(), b.errors.begin(), b.errors.end(), same_error);
}

inline ::testing::AssertionResult numbers_are(const Reading& reading,
                                              const std::vector<std::vector<double>>& expected) {
    for (const RowError& error : reading.errors) {
        return ::testing::AssertionFailure() << "an error: " << error.what();
    }
    if (reading.rows.size() != expected.size()) {
        return ::testing::AssertionFailure() << reading.rows.size() << " rows, not " << expected.size();
    }
    for (std::size_t t = 0; t < expected.size(); ++t) {
        if (!same(reading.rows[t].numbers, expected[t])) {
            return ::testing::AssertionFailure()
                   << "row " << t << " holds " << ::testing::PrintToString(reading.rows[t].numbers);
        }
    }
    return ::testing::AssertionSuccess();
}

inline bool has_remedy(const RowError& error, io::Remedy remedy) {
    return std::ranges::find(error.remedies(), remedy) != error.remedies().end();
}

/// The one error there must be.
inline RowError error_of(const Reading& reading) {
    EXPECT_EQ(reading.errors.size(), 1U);
    return reading.errors.empty() ? RowError("", {}, "", "", "none") : reading.errors.front();
}

}  // namespace sluice::test
