#include "narrowing.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "buffer.hpp"
#include "sluice/simulate.hpp"

namespace sluice::core::narrowing_test {
namespace {

constexpr std::size_t p = 300;
constexpr std::size_t kKeep = 7;

StreamOptions options() {
    StreamOptions options{.components = 1, .keep = {kKeep}};
    return options;
}

// Every input that is taken, and of the others all from the (keep+1)-th largest up; found by sorting them all.
std::vector<std::size_t> expected_candidates(const Buffer<double>& direction, const std::vector<std::size_t>& taken) {
    std::vector<double> sizes;
    for (std::size_t j = 0; j < p; ++j) {
        if (!std::ranges::binary_search(taken, j)) {
            sizes.push_back(std::abs(direction[j]));
        }
    }
    std::ranges::sort(sizes, std::greater{});
    std::vector<std::size_t> expected;
    for (std::size_t j = 0; j < p; ++j) {
        if (std::ranges::binary_search(taken, j) || std::abs(direction[j]) >= sizes[kKeep]) {
            expected.push_back(j);
        }
    }
    return expected;
}

double largest_of(const Buffer<double>& direction) {
    double largest = 0.0;
    for (const double entry : direction.all()) {
        largest = std::max(largest, std::abs(entry));
    }
    return largest;
}

// The threshold is followed from row to row; rows in which all entries jump must find the same candidates as others.
TEST(Narrowing, LeavesWhatIsTakenAndWhatTheThresholdCanLeaveWhateverCameBefore) {
    Narrowing narrowing(p, options(), false);
    NormalSource normal(1);
    Buffer<double> direction(padded(p));
    std::vector<double> base(p);
    std::vector<std::size_t> candidates;
    for (int row = 0; row < 400; ++row) {
        for (std::size_t j = 0; j < p; ++j) {
            base[j] = row % 50 == 0 ? normal.next() : base[j] + (0.01 * normal.next());
            direction[j] = base[j] * (row % 90 < 45 ? 1.0 : std::abs(base[j]));  // flat, then a few that stand out
        }
        const std::vector<std::size_t> taken =
            row % 3 == 0 ? std::vector<std::size_t>{} : std::vector<std::size_t>{3, 150, 299};
        const auto result = narrowing.narrow(0, direction.all(), largest_of(direction), taken, candidates);
        ASSERT_TRUE(result.narrowed);
        ASSERT_EQ(candidates, expected_candidates(direction, taken)) << "row " << row;
    }
}

// Whatever the entries are within the uncertainty, those that count are among the candidates, and these alone settle it.
TEST(Narrowing, AllThatMayCountAreCandidatesWhereEntriesAreUncertain) {
    constexpr double kUncertainty = 0.05;
    Narrowing narrowing(p, options(), false);
    NormalSource normal(3);
    Buffer<double> known(padded(p));
    Buffer<double> exact(padded(p));
    std::vector<std::size_t> candidates;
    std::size_t left_out = 0;
    for (int row = 0; row < 400; ++row) {
        for (std::size_t j = 0; j < p; ++j) {
            known[j] = normal.next();
            exact[j] = known[j] + (kUncertainty * (normal.next() > 0.0 ? 1.0 : -1.0));
        }
        const std::vector<std::size_t> taken =
            row % 3 == 0 ? std::vector<std::size_t>{} : std::vector<std::size_t>{3, 150, 299};
        const auto result = narrowing.narrow(0, known.all(), largest_of(known), kUncertainty, taken, candidates);
        ASSERT_TRUE(std::ranges::includes(candidates, expected_candidates(exact, taken))) << "row " << row;
        ASSERT_TRUE(narrowing.settles(0, exact.all(), result.floor, taken, candidates));
        left_out += p - candidates.size();
    }
    EXPECT_GT(left_out, 400 * p / 2);
}

TEST(Narrowing, ATieAmongTheCandidatesIsNotSettled) {
    Narrowing narrowing(p, options(), false);
    Buffer<double> direction(padded(p));
    for (std::size_t j = 0; j < p; ++j) {
        direction[j] = j < kKeep - 1 ? 2.0 : 1.0 / static_cast<double>(j);
    }
    direction[20] = direction[21] = 1.0;
    std::vector<std::size_t> candidates;
    const auto result = narrowing.narrow(0, direction.all(), 2.0, 0.01, {}, candidates);
    EXPECT_FALSE(narrowing.settles(0, direction.all(), result.floor, {}, candidates));
    direction[20] = 1.1;
    EXPECT_TRUE(narrowing.settles(0, direction.all(), result.floor, {}, candidates));
}

TEST(Narrowing, WithFewInputsOrAGivenGammaAllAreCandidates) {
    StreamOptions with_gamma = options();
    with_gamma.gamma = 0.1;
    Buffer<double> direction(padded(p));
    direction[5] = 1.0;
    std::vector<std::size_t> candidates;
    EXPECT_FALSE(Narrowing(p, with_gamma, true).narrow(0, direction.all(), 1.0, {}, candidates).narrowed);
    EXPECT_EQ(candidates.size(), p);
    EXPECT_FALSE(Narrowing(60, options(), false).narrow(0, direction.all(), 1.0, {}, candidates).narrowed);
    EXPECT_EQ(candidates.size(), 60U);
}

}  // namespace
}  // namespace sluice::core::narrowing_test
