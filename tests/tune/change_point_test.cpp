#include "change_point.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "sluice/simulate.hpp"

namespace sluice::tune::change_point_test {
namespace {

std::vector<double> squares(std::uint64_t seed, std::size_t rows, std::size_t jump, double times) {
    NormalSource normal(seed);
    std::vector<double> out;
    for (std::size_t i = 0; i < rows; ++i) {
        const double e = normal.next();
        out.push_back(e * e * (i < jump ? 1.0 : times));
    }
    return out;
}

// The statistic of change_point.hpp at one place, straight from the sums.
double gain(const std::vector<double>& s, std::size_t k) {
    auto part = [&](std::size_t from, std::size_t to) {
        double sum = 0.0;
        for (std::size_t i = from; i < to; ++i) {
            sum += s[i];
        }
        const auto n = static_cast<double>(to - from);
        return n * std::log(sum / n);
    };
    return part(0, s.size()) - part(0, k) - part(k, s.size());
}

TEST(ChangePoint, IsWithinSixRowsOfAPlantedJumpAndMostlyTheFirstAfterIt) {
    ChangePoint finder(64);
    int at_once = 0;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        const auto place = finder.find(squares(seed, 60, 40, 400.0));
        ASSERT_TRUE(place.has_value()) << seed;
        EXPECT_NEAR(static_cast<double>(*place), 40.0, 6.0) << seed;
        at_once += *place == 40 ? 1 : 0;
    }
    EXPECT_GE(at_once, 150);  // the first errors after it may be small by chance
}

TEST(ChangePoint, IsThePlaceOfTheLargestGain) {
    ChangePoint finder(64);
    for (std::uint64_t seed = 300; seed < 340; ++seed) {
        const auto s = squares(seed, 50, 25, 100.0);
        const auto place = finder.find(s);
        ASSERT_TRUE(place.has_value());
        for (std::size_t k = 5; k < s.size(); ++k) {
            EXPECT_LE(gain(s, k), gain(s, *place) + 1e-6) << k;
        }
    }
}

TEST(ChangePoint, IsSeldomSeenInStationaryNoise) {
    ChangePoint finder(64);
    int seen = 0;
    for (std::uint64_t seed = 0; seed < 4000; ++seed) {
        seen += finder.find(squares(seed, 64, 64, 1.0)).has_value() ? 1 : 0;
    }
    EXPECT_LE(seen, 4);  // twice the gain above 20 is rare, one in some thousand windows
}

TEST(ChangePoint, IsNoneWhereErrorsFallOrThereAreTooFew) {
    ChangePoint finder(64);
    EXPECT_FALSE(finder.find(squares(1, 60, 30, 1e-4)).has_value());
    EXPECT_FALSE(finder.find({}).has_value());
    EXPECT_FALSE(finder.find(std::vector<double>{1.0, 1.0, 1.0, 1e9}).has_value());
    EXPECT_FALSE(finder.find(std::vector<double>(60, 0.0)).has_value());
    const std::vector<double> huge(60, std::numeric_limits<double>::max());
    EXPECT_FALSE(finder.find(huge).has_value());
}

TEST(ChangePoint, IsFoundAfterErrorsOfZero) {
    std::vector<double> s(30, 0.0);
    s.insert(s.end(), 10, 1.0);
    ChangePoint finder(64);
    EXPECT_EQ(finder.find(s), 30U);
}

}  // namespace
}  // namespace sluice::tune::change_point_test
