// Thresholds and the choice of variables, against full sorts and the rules for `keep`, `names` and ties.
#include "sparsify.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <set>
#include <vector>

namespace sluice::core::sparsify_test {
namespace {

using Places = std::vector<std::size_t>;

constexpr std::array kEntrywise = {Penalty::lasso, Penalty::hard, Penalty::elastic_net,
                                   Penalty::scad,  Penalty::mcp,  Penalty::adaptive_lasso};

class Draw {
  public:
    explicit Draw(std::uint64_t seed) : bits_(seed) {}
    std::size_t whole(std::size_t from, std::size_t to) {
        return std::uniform_int_distribution<std::size_t>(from, to)(bits_);
    }
    // Normal, or with tails over sixty powers of ten.
    std::vector<double> vector(std::size_t size) {
        std::normal_distribution<double> normal;
        const bool heavy = whole(0, 1) == 1;
        std::vector<double> z(size);
        std::ranges::generate(z, [&] { return normal(bits_) * (heavy ? std::pow(10.0, 10.0 * normal(bits_)) : 1.0); });
        return z;
    }

  private:
    std::mt19937_64 bits_;
};

std::vector<double> sizes_downwards(std::vector<double> z) {
    std::ranges::for_each(z, [](double& v) { v = std::abs(v); });
    std::ranges::sort(z, std::greater{});
    return z;
}

struct Choice {
    double gamma = 0.0;
    std::vector<double> u;
    Places support;
};

Choice choose(const StreamOptions& options, std::vector<double> z, const Places& taken = {},
              std::size_t component = 0) {
    Choice choice{.u = std::vector<double>(z.size(), 7.0), .support = {99}};  // what was there before must not matter
    choice.gamma = Sparsifier(z.size(), options).choose(component, z, taken, choice.u, choice.support);
    return choice;
}

double square_length(const std::vector<double>& u) {
    double sum = 0.0;
    for (const double v : u) {
        sum += v * v;
    }
    return sum;
}

Places where_not_zero(const std::vector<double>& u) {
    Places places;
    for (std::size_t j = 0; j < u.size(); ++j) {
        if (u[j] != 0.0) {
            places.push_back(j);
        }
    }
    return places;
}

TEST(Sparsify, ThresholdIsTheNextLargestOfAFullSort) {
    Draw draw(1);
    for (int round = 0; round < 1000; ++round) {
        const auto z = draw.vector(draw.whole(1, 40));
        const std::size_t keep = draw.whole(1, z.size());
        std::vector<double> scratch(z.size());
        const auto sorted = sizes_downwards(z);
        EXPECT_EQ(threshold_by_selection(z, keep, scratch), keep < z.size() ? sorted[keep] : 0.0);
    }
}

TEST(Sparsify, RootOfEquation14KeepsTheSameVariables) {
    Draw draw(2);
    for (int round = 0; round < 1000; ++round) {
        const auto z = draw.vector(draw.whole(1, 40));
        const std::size_t keep = draw.whole(1, z.size());
        std::vector<double> scratch(z.size());
        const double selected = threshold_by_selection(z, keep, scratch);
        const double root = threshold_by_root(z, keep);
        for (const double v : z) {
            EXPECT_EQ(std::abs(v) > root, std::abs(v) > selected);
        }
    }
}

TEST(Sparsify, RootOfEquation14IsTheTiedValueOnATie) {
    const std::vector<double> z = {0.3, -0.7, 0.7, 0.7, -0.1, 0.9};
    for (const std::size_t keep : {2U, 3U}) {  // 0.9 and one or two of the three
        // Brent's bracket closes to two units in the last place on either side.
        EXPECT_NEAR(threshold_by_root(z, keep), 0.7, 4.0 * std::numeric_limits<double>::epsilon());
    }
    EXPECT_EQ(threshold_by_root(std::vector<double>{0.0, 0.0}, 1), 0.0);
    EXPECT_EQ(threshold_by_root(std::vector<double>{0.0, 2.0, 0.0}, 2), 0.0);
}

TEST(Sparsify, KeepsExactlyTheRequestedNumberAndTheLargest) {
    Draw draw(3);
    for (const Penalty penalty : kEntrywise) {
        for (int round = 0; round < 300; ++round) {
            const auto z = draw.vector(draw.whole(1, 30));
            const std::size_t keep = draw.whole(1, z.size());
            const Choice choice = choose({.keep = {keep}, .penalty = penalty}, z);
            ASSERT_EQ(choice.support.size(), keep);
            EXPECT_EQ(choice.support, where_not_zero(choice.u));
            const double last = sizes_downwards(z)[keep - 1];
            for (const std::size_t j : choice.support) {
                EXPECT_GE(std::abs(z[j]), last);
            }
        }
    }
}

TEST(Sparsify, WeightsAreTheSoftThresholdBroughtToUnitLength) {
    Draw draw(4);
    for (int round = 0; round < 300; ++round) {
        auto z = draw.vector(draw.whole(2, 30));
        const std::size_t keep = draw.whole(1, z.size() - 1);
        const Choice choice = choose({.keep = {keep}}, z);
        const double next = sizes_downwards(z)[keep];
        std::vector<double> u(z.size(), 0.0);
        for (const std::size_t j : choice.support) {
            u[j] = std::copysign(std::abs(z[j]) - next, z[j]);
        }
        const double most = *std::ranges::max_element(u, {}, [](double v) { return std::abs(v); });
        const double length = std::sqrt(square_length(u)) * (most < 0.0 ? -1.0 : 1.0);
        for (std::size_t j = 0; j < z.size(); ++j) {
            // z is scaled to unit length before and not after: rounding of the largest entry, on the scale of u.
            EXPECT_NEAR(choice.u[j], u[j] / length, 1e-15 * sizes_downwards(z)[0] / std::abs(length));
        }
    }
}

TEST(Sparsify, UnitLengthAndLargestEntryPositive) {
    Draw draw(5);
    for (const Penalty penalty : kEntrywise) {
        for (int round = 0; round < 200; ++round) {
            const auto z = draw.vector(draw.whole(1, 30));
            const Choice choice = choose({.keep = {draw.whole(1, z.size())}, .penalty = penalty}, z);
            EXPECT_NEAR(square_length(choice.u), 1.0, 1e-14);  // thirty squares, each rounded
            EXPECT_GT(*std::ranges::max_element(choice.u, {}, [](double v) { return std::abs(v); }), 0.0);
        }
    }
}

TEST(Sparsify, TiesGoToTheLowestIndex) {
    for (const Penalty penalty : kEntrywise) {
        const Choice choice = choose({.keep = {3}, .penalty = penalty}, {0.2, -0.5, 0.9, 0.5, 0.5, 0.1});
        EXPECT_EQ(choice.support, (Places{1, 2, 3}));
        EXPECT_EQ(choice.u[1], -choice.u[3]);
        EXPECT_GT(choice.u[3], 1e-3);  // gamma is the next smaller value, 0.2: the tied ones weigh something
    }
}

TEST(Sparsify, EntriesWithinRoundingOfEachOtherAreTied) {
    EXPECT_EQ(choose({.keep = {1}}, {1.0, 1.0 + 1e-14, 0.5}).support, Places{0});
    EXPECT_EQ(choose({.keep = {1}}, {1.0, 1.0 + 1e-11, 0.5}).support, Places{1});
    EXPECT_EQ(choose({.gamma = 0.9}, {1.0, 1.0 + 1e-14, 0.5}).support, Places{0});
}

TEST(Sparsify, AmongEqualEntriesExactlyTheRequestedNumberIsKept) {
    for (const Penalty penalty : kEntrywise) {
        for (std::size_t keep = 1; keep <= 5; ++keep) {
            const Choice choice = choose({.keep = {keep}, .penalty = penalty}, std::vector<double>(5, -3.0));
            ASSERT_EQ(choice.support.size(), keep);
            for (std::size_t j = 0; j < keep; ++j) {
                EXPECT_EQ(choice.support[j], j);
                EXPECT_NEAR(choice.u[j], 1.0 / std::sqrt(static_cast<double>(keep)), 1e-15);
            }
        }
    }
}

TEST(Sparsify, FewerThatDifferFromZeroThanAskedForAreAllKeptUnshrunk) {
    for (const Penalty penalty : kEntrywise) {
        const Choice choice = choose({.keep = {4}, .penalty = penalty}, {0.0, 3.0, 0.0, 0.0, -4.0, 0.0});
        EXPECT_EQ(choice.gamma, 0.0);
        EXPECT_EQ(choice.support, (Places{1, 4}));
        EXPECT_NEAR(choice.u[1], -0.6, 1e-15);
        EXPECT_NEAR(choice.u[4], 0.8, 1e-15);
    }
}

TEST(Sparsify, KeepingAllShrinksNothing) {
    for (const Penalty penalty : kEntrywise) {
        const Choice choice = choose({.keep = {3}, .penalty = penalty}, {2.0, -1.0, 2.0});
        EXPECT_EQ(choice.gamma, 0.0);
        EXPECT_NEAR(choice.u[0], 2.0 / 3.0, 1e-15);
        EXPECT_NEAR(choice.u[1], -1.0 / 3.0, 1e-15);
    }
}

TEST(Sparsify, EachComponentHasItsOwnKeep) {
    const StreamOptions options{.components = 2, .keep = {1, 3}};
    EXPECT_EQ(choose(options, {1.0, 2.0, 3.0, 4.0}, {}, 0).support, Places{3});
    EXPECT_EQ(choose(options, {1.0, 2.0, 3.0, 4.0}, {}, 1).support, (Places{1, 2, 3}));
}

TEST(Sparsify, NamesLimitHoldsForAllComponentsTogether) {
    Draw draw(6);
    for (int round = 0; round < 1000; ++round) {
        const std::size_t p = draw.whole(1, 20);
        const std::size_t names = draw.whole(1, p);
        Places taken;
        for (std::size_t j = 0; j < p && taken.size() < names; ++j) {
            if (draw.whole(0, 2) == 0) {
                taken.push_back(j);
            }
        }
        StreamOptions options{.names = names, .penalty = kEntrywise[draw.whole(0, kEntrywise.size() - 1)]};
        if (draw.whole(0, 1) == 0) {
            options.keep = {draw.whole(1, p)};
        } else {
            options.gamma = 0.01;
        }
        const auto z = draw.vector(p);
        const Choice choice = choose(options, z, taken);
        std::set<std::size_t> all(taken.begin(), taken.end());
        all.insert(choice.support.begin(), choice.support.end());
        EXPECT_LE(all.size(), names);
        const std::size_t room = names - taken.size();
        std::vector<double> fresh = z;  // of the new ones, only the largest that there is room for
        for (const std::size_t j : taken) {
            fresh[j] = 0.0;
        }
        for (const std::size_t j : choice.support) {
            EXPECT_TRUE(std::ranges::binary_search(taken, j) || std::abs(z[j]) >= sizes_downwards(fresh)[room - 1]);
        }
        if (!options.keep.empty()) {  // exactly keep, wherever the limit on names allows it
            EXPECT_EQ(choice.support.size(), std::min(options.keep[0], std::min(names, p)));
        }
    }
}

TEST(Sparsify, FixedGammaKeepsWhatExceedsItAtUnitLength) {
    const Choice choice = choose({.gamma = 0.5}, {30.0, -40.0, 0.0});  // 0.6 and -0.8
    EXPECT_EQ(choice.gamma, 0.5);
    EXPECT_EQ(choice.support, (Places{0, 1}));
    EXPECT_NEAR(choice.u[0] / choice.u[1], -1.0 / 3.0, 1e-14);  // 0.1 and 0.3 are left: differences lose a digit
    EXPECT_GT(choice.u[1], 0.0);
}

TEST(Sparsify, FixedGammaNeverEmptiesAComponent) {
    const Choice entry = choose({.gamma = 0.9}, {3.0, -4.0, 3.0});
    EXPECT_EQ(entry.support, Places{1});
    EXPECT_NEAR(entry.u[1], 1.0, 1e-15);
    const Choice group = choose({.gamma = 0.9, .penalty = Penalty::group_lasso, .groups = {0, 1, 1}}, {1.0, 2.0, -2.0});
    EXPECT_EQ(group.support, (Places{1, 2}));
}

TEST(Sparsify, WholeGroupsAreKeptWhileTheyFit) {
    StreamOptions options{.keep = {3}, .penalty = Penalty::group_lasso, .groups = {0, 0, 1, 2, 2, 2}};
    const std::vector<double> z = {3.0, 3.0, 2.9, 1.0, 1.0, 1.0};
    EXPECT_EQ(choose(options, z).support, (Places{0, 1, 2}));
    options.names = 2;
    EXPECT_EQ(choose(options, z).support, (Places{0, 1}));
    EXPECT_EQ(choose(options, z, {2}).support, Places{});           // room for one more name, the best group has two
    EXPECT_EQ(choose(options, z, {0, 1}).support, (Places{0, 1}));  // names already taken are free
}

TEST(Sparsify, NamesLimitHoldsForGroupsToo) {
    Draw draw(8);
    for (int round = 0; round < 1000; ++round) {
        const std::size_t p = draw.whole(1, 12);
        StreamOptions options{.names = draw.whole(1, p), .penalty = Penalty::group_lasso};
        for (std::size_t j = 0; j < p; ++j) {
            options.groups.push_back(draw.whole(0, (p - 1) / 2));
        }
        if (draw.whole(0, 1) == 0) {
            options.keep = {p};
        } else {
            options.gamma = 0.1 * static_cast<double>(draw.whole(0, 9));
        }
        Places taken;
        for (std::size_t j = 0; j < p && taken.size() < *options.names; ++j) {
            if (draw.whole(0, 2) == 0) {
                taken.push_back(j);
            }
        }
        const Choice choice = choose(options, draw.vector(p), taken);
        std::set<std::size_t> all(taken.begin(), taken.end());
        all.insert(choice.support.begin(), choice.support.end());
        ASSERT_LE(all.size(), *options.names) << (options.gamma ? "with a fixed gamma" : "with keep");
    }
}

TEST(Sparsify, GroupsShareOneFactorFromTheNextScore) {
    const StreamOptions options{.keep = {2}, .penalty = Penalty::group_lasso, .groups = {0, 0, 1, 1}};
    const Choice choice = choose(options, {3.0, -1.0, 1.0, 1.0});
    EXPECT_EQ(choice.support, (Places{0, 1}));
    EXPECT_NEAR(choice.gamma, 1.0 / std::sqrt(12.0), 1e-15);  // score of the second group at unit length
    EXPECT_NEAR(choice.u[0], 3.0 / std::sqrt(10.0), 1e-15);
    EXPECT_NEAR(choice.u[1], -1.0 / std::sqrt(10.0), 1e-15);
}

TEST(Sparsify, APowerOfTwoOnTheDirectionChangesNoBit) {
    Draw draw(7);
    for (int round = 0; round < 200; ++round) {
        std::vector<double> z(draw.whole(1, 20));
        std::ranges::generate(z, [&] { return static_cast<double>(draw.whole(0, 1U << 30U)) - 0x1p29; });
        z[0] += z[0] == 0.0 ? 1.0 : 0.0;
        const StreamOptions options{.keep = {draw.whole(1, z.size())}, .penalty = kEntrywise[draw.whole(0, 5)]};
        const Choice plain = choose(options, z);
        for (const double scale : {0x1p600, 0x1p-600}) {
            auto scaled = z;
            std::ranges::for_each(scaled, [&](double& v) { v *= scale; });
            const Choice other = choose(options, scaled);
            EXPECT_EQ(other.u, plain.u);
            EXPECT_EQ(other.support, plain.support);
            EXPECT_EQ(other.gamma, plain.gamma);
        }
    }
}

}  // namespace
}  // namespace sluice::core::sparsify_test
