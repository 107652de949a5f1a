// Numbers written one by one, in either layout: the reader gets the same bits in the same order.
#include "state.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "sluice/error.hpp"

namespace sluice::core::state_test {
namespace {

using Limits = std::numeric_limits<double>;

struct Near {
    double value;
    double known;
};

std::vector<Near> pairs() {
    std::vector<Near> some = {{0.0, 0.0},
                              {-0.0, 0.0},
                              {1.0, 1.0},
                              {1.0, -1.0},
                              {Limits::max(), 0.0},
                              {-Limits::max(), Limits::max()},
                              {0.0, -0.0},
                              {1.0, Limits::max()},
                              {Limits::denorm_min(), -Limits::denorm_min()},
                              {1.0, Limits::quiet_NaN()},
                              {1.0, -Limits::infinity()}};
    std::mt19937_64 bits(1);
    for (unsigned width = 0; width < 64; ++width) {  // differences of every width, of both signs
        const auto step = std::uint64_t{1} << width;
        for (const std::uint64_t difference : {step, 0 - step, step + (bits() % step), 0 - step - (bits() % step)}) {
            const double value = std::bit_cast<double>(std::bit_cast<std::uint64_t>(1.5) + difference);
            if (std::isfinite(value)) {
                some.push_back({value, 1.5});
            }
        }
    }
    return some;
}

TEST(State, ANumberNearAKnownOneKeepsItsBits) {
    for (const Layout layout : {Layout::plain, Layout::packed}) {
        StateWriter out(layout);
        out.put(std::uint64_t{7});
        for (const auto& [value, known] : pairs()) {
            out.put_near(value, known);
        }
        const auto bytes = out.framed();
        StateReader in(bytes);
        std::uint64_t first = 0;
        in.get(first);
        EXPECT_EQ(first, 7U);
        for (const auto& [value, known] : pairs()) {
            ASSERT_EQ(std::bit_cast<std::uint64_t>(in.get_near(known)), std::bit_cast<std::uint64_t>(value)) << value;
        }
        EXPECT_EQ(in.left(), 0U);
        EXPECT_THROW((void)in.get_near(1.0), StateError);
    }
}

TEST(State, LowestBitsThatAreZeroNeedNoRoom) {
    constexpr unsigned kUnused = 16;
    constexpr std::size_t kCount = 1000;
    std::vector<double> values;
    std::mt19937_64 bits(2);
    std::normal_distribution<double> normal;
    for (std::size_t i = 0; i < kCount; ++i) {
        values.push_back(std::bit_cast<double>(std::bit_cast<std::uint64_t>(normal(bits)) >> kUnused << kUnused));
    }
    std::size_t before = 0;
    for (const unsigned unused : {0U, kUnused}) {
        StateWriter out(Layout::packed);
        out.put(std::uint64_t{7});
        for (std::size_t i = 0; i < kCount; ++i) {
            out.put_near(values[i], i > 0 ? values[i - 1] / 3.0 : 0.0, unused);
        }
        const auto bytes = out.framed();
        StateReader in(bytes);
        (void)in.take_bytes(8);
        for (std::size_t i = 0; i < kCount; ++i) {
            ASSERT_EQ(in.get_near(i > 0 ? values[i - 1] / 3.0 : 0.0, unused), values[i]);
        }
        if (unused > 0) {
            EXPECT_NEAR(static_cast<double>(before - bytes.size()), kCount * kUnused / 8.0, 100.0);
        }
        before = bytes.size();
    }
}

TEST(State, NumbersOfSeveralKindsComeBackInTheirOrder) {
    for (const Layout layout : {Layout::plain, Layout::packed}) {
        StateWriter out(layout);
        out.put(std::uint64_t{7});
        out.put(1.25);
        out.put(2.5F);
        out.put_near(3.0, 2.0);
        out.cut();
        out.put_raw(std::vector<double>{4.0, Limits::quiet_NaN()});
        out.put(static_cast<unsigned char>(1));
        out.put_text("five");
        out.put_all(std::vector<double>{6.0, 7.0});
        const auto bytes = out.framed();
        StateReader in(bytes);
        EXPECT_EQ(in.version(), layout == Layout::packed ? kPackedVersion : kPlainVersion);
        (void)in.take_bytes(8);
        double number = 0.0;
        float single = 0.0F;
        std::vector<double> two(2);
        in.get(number);
        in.get(single);
        EXPECT_EQ(number, 1.25);
        EXPECT_EQ(single, 2.5F);
        EXPECT_EQ(in.get_near(2.0), 3.0);
        in.get_raw(two);
        EXPECT_EQ(two[0], 4.0);
        EXPECT_TRUE(std::isnan(two[1]));
        EXPECT_TRUE(in.get_flag());
        EXPECT_EQ(in.get_text(), "five");
        in.get_all(two);
        EXPECT_EQ(two, (std::vector<double>{6.0, 7.0}));
        EXPECT_EQ(in.left(), 0U);
        EXPECT_THROW(in.get(number), StateError);
    }
}

TEST(State, ANumberThatIsNotFiniteIsRefused) {
    StateWriter out(Layout::packed);
    out.put(std::uint64_t{7});
    out.put_near(Limits::infinity(), 1.0);
    out.put(Limits::quiet_NaN());
    const auto bytes = out.framed();
    StateReader in(bytes);
    double number = 0.0;
    EXPECT_THROW((void)in.get_near(1.0), StateError);
    EXPECT_THROW(in.get(number), StateError);
}

}  // namespace
}  // namespace sluice::core::state_test
