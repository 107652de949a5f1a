#include "quarantine.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "robust_constants.hpp"
#include "sluice/error.hpp"
#include "state.hpp"

namespace sluice::tune::quarantine_test {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

void add_row(Quarantine& rows, double number) {
    const std::vector<double> x = {number, kNaN};
    const std::vector<double> y = {10.0 * number};
    const std::vector<double> bounded = {-number};
    rows.add(x, y, bounded, 100.0 + number);
}

void expect_rows(const Quarantine& rows, std::size_t count, double first) {
    ASSERT_EQ(rows.size(), count);
    ASSERT_EQ(rows.empty(), count == 0);
    for (std::size_t row = 0; row < count; ++row) {
        const double number = first + static_cast<double>(row);
        ASSERT_EQ(rows.x(row).size(), 2U);
        ASSERT_EQ(rows.x(row)[0], number);
        ASSERT_TRUE(std::isnan(rows.x(row)[1]));
        ASSERT_EQ(rows.y(row).size(), 1U);
        ASSERT_EQ(rows.y(row)[0], 10.0 * number);
        ASSERT_EQ(rows.bounded(row).size(), 1U);
        ASSERT_EQ(rows.bounded(row)[0], -number);
        ASSERT_EQ(rows.error_size(row), 100.0 + number);
    }
}

TEST(Quarantine, HoldsRowsInOrderUntilTheyAreCleared) {
    Quarantine rows(2, 1);
    expect_rows(rows, 0, 0.0);
    for (const double first : {1.0, 50.0}) {
        for (std::size_t count = 1; count <= kMostHeld; ++count) {
            add_row(rows, first + static_cast<double>(count - 1));
            expect_rows(rows, count, first);
        }
        rows.clear();
        expect_rows(rows, 0, 0.0);
    }
}

TEST(Quarantine, TakesRoomOnce) {
    Quarantine rows(2, 1);
    EXPECT_EQ(rows.bytes(), 0U);
    add_row(rows, 1.0);
    const double* place = rows.x(0).data();
    for (std::size_t count = 2; count <= kMostHeld; ++count) {
        add_row(rows, static_cast<double>(count));
    }
    EXPECT_EQ(rows.x(0).data(), place);
    rows.clear();
    add_row(rows, 1.0);
    EXPECT_EQ(rows.x(0).data(), place);
}

std::vector<std::byte> saved(const Quarantine& rows) {
    core::StateWriter out;
    rows.save(out);
    return std::move(out).unframed();
}

void load(const std::vector<std::byte>& bytes, Quarantine& rows) {
    auto in = core::StateReader::unframed(bytes);
    rows.load(in);
    EXPECT_EQ(in.left(), 0U);
}

// bytes() too: a summary shows it, and a resumed run writes the same summary.
TEST(Quarantine, GoesOnAfterBeingSavedWithAnyNumberOfRows) {
    Quarantine rows(2, 1);
    for (const double first : {1.0, 50.0}) {
        for (std::size_t count = 0; count < kMostHeld; ++count) {
            Quarantine again(2, 1);
            load(saved(rows), again);
            EXPECT_EQ(again.bytes(), rows.bytes());
            expect_rows(again, count, first);
            add_row(rows, first + static_cast<double>(count));
            add_row(again, first + static_cast<double>(count));
            expect_rows(again, count + 1, first);
        }
        rows.clear();
    }
}

template <typename T>
std::vector<std::byte> with(std::vector<std::byte> bytes, std::size_t at, T value) {
    std::memcpy(bytes.data() + at, &value, sizeof(value));
    return bytes;
}

TEST(Quarantine, AnyFieldOutOfRangeIsRefused) {
    Quarantine rows(2, 1);
    for (std::size_t count = 1; count < kMostHeld; ++count) {
        add_row(rows, static_cast<double>(count));
    }
    const auto good = saved(rows);
    constexpr std::size_t kRow = 5 * sizeof(double);
    ASSERT_EQ(good.size(), 8 + ((kMostHeld - 1) * kRow));
    Quarantine again(2, 1);
    EXPECT_NO_THROW(load(good, again));
    auto longer = with(good, 0, std::uint64_t{kMostHeld});  // more rows are never saved: the last one releases them
    longer.insert(longer.end(), good.end() - kRow, good.end());
    EXPECT_THROW(load(longer, again), StateError);
    EXPECT_THROW(load(with(good, 0, ~std::uint64_t{0}), again), StateError);
    for (std::size_t row = 0; row + 1 < kMostHeld; ++row) {
        const std::size_t at = 8 + (row * kRow);
        for (const double wrong : {0.0, -1.0, kNaN, HUGE_VAL}) {
            EXPECT_THROW(load(with(good, at, wrong), again), StateError) << row << " " << wrong;
        }
        for (std::size_t cell = 1; cell < 5; ++cell) {
            EXPECT_NO_THROW(load(with(good, at + (8 * cell), kNaN), again)) << cell;  // missing
            EXPECT_THROW(load(with(good, at + (8 * cell), HUGE_VAL), again), StateError) << cell;
            EXPECT_THROW(load(with(good, at + (8 * cell), -HUGE_VAL), again), StateError) << cell;
        }
    }
    for (std::size_t length = 0; length < good.size(); ++length) {
        const std::vector<std::byte> cut(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(length));
        EXPECT_THROW(load(cut, again), StateError) << length;
    }
}

}  // namespace
}  // namespace sluice::tune::quarantine_test
