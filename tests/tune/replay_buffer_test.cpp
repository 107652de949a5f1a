#include "replay_buffer.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "state.hpp"

namespace sluice::tune::replay_buffer_test {
namespace {

void add_row(ReplayBuffer& rows, std::size_t number) {
    const auto value = static_cast<double>(number);
    const std::vector<double> x = {value, value + 0.25, std::numeric_limits<double>::quiet_NaN()};
    const std::vector<double> y = {-value, value + 0.5};
    rows.add(x, y, 10.0 * value);
}

void expect_rows(ReplayBuffer& rows, std::size_t first, std::size_t count) {
    ASSERT_EQ(rows.size(), count);
    for (std::size_t i = 0; i < count; ++i) {
        const auto value = static_cast<double>(first + i);
        ASSERT_EQ(rows.x(i)[0], value);
        ASSERT_EQ(rows.x(i)[1], value + 0.25);
        ASSERT_TRUE(std::isnan(rows.x(i)[2]));
        ASSERT_EQ(rows.y(i)[0], -value);
        ASSERT_EQ(rows.y(i)[1], value + 0.5);
        ASSERT_EQ(rows.errors()[i], 10.0 * value);
    }
}

TEST(ReplayBuffer, AreTheLastOnesInTheOrderInWhichTheyCame) {
    ReplayBuffer rows(3, 2);
    const std::size_t most = rows.most();
    for (std::size_t number = 0; number < 3 * most; ++number) {
        add_row(rows, number);
        const std::size_t count = std::min(most, number + 1);
        expect_rows(rows, number + 1 - count, count);
    }
}

TEST(ReplayBuffer, GoOnAfterBeingSavedWhereverTheRingStands) {
    for (const std::size_t met : {0U, 1U, 63U, 64U, 65U, 100U}) {
        ReplayBuffer rows(3, 2);
        for (std::size_t number = 0; number < met; ++number) {
            add_row(rows, number);
        }
        core::StateWriter out;
        rows.save(out);
        const auto bytes = std::move(out).unframed();
        auto in = core::StateReader::unframed(bytes);
        ReplayBuffer again(3, 2);
        again.load(in);
        EXPECT_EQ(in.left(), 0U);
        for (std::size_t number = met; number < met + 5; ++number) {
            add_row(again, number);
        }
        const std::size_t count = std::min<std::size_t>(again.most(), met + 5);
        expect_rows(again, met + 5 - count, count);
    }
}

TEST(ReplayBuffer, WhereInputsAreAddedTheyAreMissingAndTheNewestRowsStay) {
    ReplayBuffer rows(3, 2);
    for (std::size_t number = 0; number < 70; ++number) {
        add_row(rows, number);
    }
    core::StateWriter out;
    rows.save(out);
    const auto bytes = std::move(out).unframed();
    for (const std::size_t p : {4U, 200000U}) {
        auto in = core::StateReader::unframed(bytes);
        in.set_added_inputs(p - 3);
        ReplayBuffer wider(p, 2);
        wider.load(in);
        EXPECT_EQ(in.left(), 0U);
        expect_rows(wider, 70 - wider.most(), wider.most());
        EXPECT_TRUE(std::isnan(wider.x(0)[3]));
        EXPECT_TRUE(std::isnan(wider.x(wider.most() - 1)[p - 1]));
    }
}

// Of a spread between 2^e and 2^(e + 1), to half of 2^(e - 29).
TEST(ReplayBuffer, KeepsInputsToAShareOfTheirSpread) {
    for (const int exponent : {-500, -3, 0, 7, 490}) {
        for (const double level : {0.0, 1.0, 1e6, -3e11}) {
            ReplayBuffer rows(2, 1);
            EXPECT_TRUE(rows.spreads_due());
            rows.set_spread(0, exponent);
            rows.set_spread(1, ReplayBuffer::kExact);
            for (int i = 0; i < 20; ++i) {
                const double value = std::ldexp(level + std::sin(1.0 + i), exponent);
                rows.add(std::vector<double>{value, value}, std::vector<double>{value}, 0.0);
                EXPECT_FALSE(rows.spreads_due());
                const auto kept = rows.x(rows.size() - 1);
                const double rounding = std::abs(value) * std::numeric_limits<double>::epsilon();
                ASSERT_LE(std::abs(kept[0] - value), std::max(std::ldexp(0.5, exponent - 29), rounding));
                ASSERT_EQ(kept[1], value);
                ASSERT_EQ(rows.y(rows.size() - 1)[0], value);
                if (level == 0.0) {
                    ASSERT_EQ(std::remainder(kept[0], std::ldexp(1.0, exponent - 29)), 0.0);
                }
            }
        }
    }
}

TEST(ReplayBuffer, SpreadsAreDueAgainAfter64RowsAlsoWhereItWasLoaded) {
    ReplayBuffer rows(1, 1);
    for (int i = 0; i < 200; ++i) {
        EXPECT_EQ(rows.spreads_due(), i % 64 == 0) << i;
        if (rows.spreads_due()) {
            rows.set_spread(0, i);
        }
        core::StateWriter out;
        rows.save(out);
        const auto bytes = std::move(out).unframed();
        auto in = core::StateReader::unframed(bytes);
        ReplayBuffer again(1, 1);
        again.load(in);
        const std::vector<double> x = {1.0 + std::sin(i)};
        const std::vector<double> y = {1.0};
        rows.add(x, y, 0.0);
        again.add(x, y, 0.0);
        ASSERT_EQ(again.x(again.size() - 1)[0], rows.x(rows.size() - 1)[0]);
        ASSERT_EQ(again.spreads_due(), rows.spreads_due());
    }
}

TEST(ReplayBuffer, OfVeryWideStreamsAreFewer) {
    EXPECT_EQ(ReplayBuffer(10, 1).most(), 64U);
    EXPECT_EQ(ReplayBuffer(200000, 1).most(), 41U);
    EXPECT_EQ(ReplayBuffer(10000000, 1).most(), 16U);
}

}  // namespace
}  // namespace sluice::tune::replay_buffer_test
