// The proximal step of each penalty against a search that only evaluates the objective.
#include "penalty.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace sluice::core::penalty_test {
namespace {

constexpr std::array kEntrywise = {Penalty::lasso, Penalty::hard, Penalty::elastic_net,
                                   Penalty::scad,  Penalty::mcp,  Penalty::adaptive_lasso};

class Draw {
  public:
    explicit Draw(std::uint64_t seed) : bits_(seed) {}
    double between(double from, double to) { return std::uniform_real_distribution<double>(from, to)(bits_); }

  private:
    std::mt19937_64 bits_;
};

StreamOptions with(Penalty penalty, Draw& draw) {
    StreamOptions options;
    options.penalty = penalty;
    options.elastic_mix = draw.between(0.05, 1.0);
    options.scad_knee = draw.between(2.2, 6.0);
    options.mcp_knee = draw.between(1.2, 6.0);
    options.adaptive_power = draw.between(0.2, 3.0);
    return options;
}

double objective(const StreamOptions& options, double u, double z, double gamma) {
    return ((u - z) * (u - z) / 2.0) + penalty_value(options, u, gamma, z);
}

// The minimum of the objective: a grid from beyond 0 to beyond z, then thirds around the best point. 0 itself is tried
// too, since a penalty may jump there.
double brute_minimum(const StreamOptions& options, double z, double gamma) {
    auto f = [&](double u) { return objective(options, u, z, gamma); };
    constexpr int kPoints = 2000;
    const double step = 1.4 * z / kPoints;
    double best = 0.0;
    for (int i = 0; i <= kPoints; ++i) {
        const double u = (-0.2 * z) + (i * step);
        best = f(u) < f(best) ? u : best;
    }
    double low = best - std::abs(step);
    double high = best + std::abs(step);
    for (int i = 0; i < 100; ++i) {
        const double a = low + ((high - low) / 3.0);
        const double b = high - ((high - low) / 3.0);
        (f(a) < f(b) ? high : low) = f(a) < f(b) ? b : a;
    }
    const double fine = (low + high) / 2.0;
    return f(fine) < f(best) ? fine : best;
}

TEST(Penalty, ProximalStepMinimisesItsObjective) {
    Draw draw(1);
    for (const Penalty penalty : kEntrywise) {
        for (int round = 0; round < 300; ++round) {
            const StreamOptions options = with(penalty, draw);
            const double z = draw.between(-1.0, 1.0);
            const double gamma = draw.between(0.0, 0.7);
            const double u = proximal_step(options, z, gamma);
            const double brute = brute_minimum(options, z, gamma);
            SCOPED_TRACE("penalty " + std::to_string(static_cast<int>(penalty)) + ", z " + std::to_string(z) +
                         ", gamma " + std::to_string(gamma));
            // Nothing on the line is lower. Values are of order 1: 1e-14 is their rounding.
            EXPECT_LE(objective(options, u, z, gamma), objective(options, brute, z, gamma) + 1e-14);
            // A minimum is flat: rounding of 1e-16 in its value leaves its place open by some 1e-8, times the root of
            // 1 / curvature, below 2.5 for these knees. Where the hard penalty jumps, both ends are minima.
            const bool at_a_jump = penalty == Penalty::hard && std::abs(std::abs(z) - gamma) < 1e-6;
            if (!at_a_jump) {
                EXPECT_NEAR(u, brute, 1e-6);
            }
        }
    }
}

TEST(Penalty, ProximalStepIsOddAndNeverLengthens) {
    Draw draw(2);
    for (const Penalty penalty : kEntrywise) {
        for (int round = 0; round < 300; ++round) {
            const StreamOptions options = with(penalty, draw);
            const double z = draw.between(0.0, 1.0);
            const double gamma = draw.between(0.0, 0.7);
            const double u = proximal_step(options, z, gamma);
            EXPECT_EQ(proximal_step(options, -z, gamma), -u);
            EXPECT_GE(u, 0.0);
            EXPECT_LE(u, z);
        }
    }
}

TEST(Penalty, GammaZeroChangesNothing) {
    Draw draw(3);
    for (const Penalty penalty : kEntrywise) {
        const StreamOptions options = with(penalty, draw);
        EXPECT_EQ(proximal_step(options, -0.3, 0.0), -0.3);
        EXPECT_EQ(proximal_step(options, 0.0, 0.0), 0.0);
    }
}

TEST(Penalty, EntriesSurviveExactlyAboveTheSmallestSurvivor) {
    Draw draw(4);
    for (const Penalty penalty : kEntrywise) {
        for (int round = 0; round < 300; ++round) {
            const StreamOptions options = with(penalty, draw);
            const double gamma = draw.between(0.01, 0.7);
            const double survivor = smallest_survivor(options, gamma);
            EXPECT_EQ(proximal_step(options, survivor, gamma), 0.0);
            // 1e-12 above: powers and products round at 1e-16, so the step is above 0 with room to spare.
            EXPECT_GT(proximal_step(options, survivor * (1.0 + 1e-12), gamma), 0.0);
        }
    }
}

TEST(Penalty, SurvivorAndGammaInvertEachOther) {
    Draw draw(5);
    for (const Penalty penalty : kEntrywise) {
        for (int round = 0; round < 300; ++round) {
            const StreamOptions options = with(penalty, draw);
            const double value = draw.between(1e-6, 1.0);
            // Powers of up to 4 of rounded numbers, and back again.
            EXPECT_NEAR(smallest_survivor(options, gamma_for_survivor(options, value)), value, 1e-14 * value);
            EXPECT_NEAR(gamma_for_survivor(options, smallest_survivor(options, value)), value, 1e-14 * value);
        }
        EXPECT_EQ(smallest_survivor(StreamOptions{.penalty = penalty}, 0.0), 0.0);
        EXPECT_EQ(gamma_for_survivor(StreamOptions{.penalty = penalty}, 0.0), 0.0);
    }
}

double group_objective(const std::vector<double>& u, const std::vector<double>& z, double gamma) {
    double apart = 0.0;
    double length = 0.0;
    for (std::size_t i = 0; i < z.size(); ++i) {
        apart += (u[i] - z[i]) * (u[i] - z[i]);
        length += u[i] * u[i];
    }
    return (apart / 2.0) + (gamma * std::sqrt(static_cast<double>(z.size())) * std::sqrt(length));
}

// Tries a step along each axis, both ways; halves the step where none goes down. The only kink is at 0, tried apart.
std::vector<double> compass_minimum(std::vector<double> u, const std::vector<double>& z, double gamma) {
    double best = group_objective(u, z, gamma);
    for (double step = 0.01; step > 1e-9;) {
        bool moved = false;
        for (std::size_t i = 0; i < 2 * z.size(); ++i) {
            std::vector<double> trial = u;
            trial[i / 2] += i % 2 == 0 ? step : -step;
            const double value = group_objective(trial, z, gamma);
            if (value < best) {
                best = value;
                u = trial;
                moved = true;
            }
        }
        step = moved ? step : step / 2.0;
    }
    const std::vector<double> nothing(z.size(), 0.0);
    return group_objective(nothing, z, gamma) <= best ? nothing : u;
}

TEST(Penalty, GroupStepMinimisesItsObjective) {
    Draw draw(6);
    std::size_t dropped = 0;
    for (int round = 0; round < 400; ++round) {
        std::vector<double> z(1 + static_cast<std::size_t>(draw.between(0.0, 4.0)));
        std::ranges::generate(z, [&] { return draw.between(-1.0, 1.0); });
        const double gamma = draw.between(0.0, 0.8);
        double square = 0.0;
        for (const double v : z) {
            square += v * v;
        }
        const double factor = group_factor(std::sqrt(square / static_cast<double>(z.size())), gamma);
        dropped += factor == 0.0 ? 1 : 0;
        std::vector<double> u(z.size());
        std::ranges::transform(z, u.begin(), [&](double v) { return factor * v; });

        const std::vector<double> brute = compass_minimum(z, z, gamma);
        // Nothing is lower, up to rounding of values of order 1.
        const double value = group_objective(u, z, gamma);
        EXPECT_LE(value, group_objective(brute, z, gamma) + 1e-14);
        // |u - brute|^2 / 2 is at most the difference in value, the objective being that convex. The search ends
        // within steps of 1e-9 of a valley: some 1e-12 in value.
        EXPECT_NEAR(group_objective(brute, z, gamma), value, 1e-12);
        for (std::size_t i = 0; i < z.size(); ++i) {
            EXPECT_NEAR(u[i], brute[i], 2e-6);
        }
    }
    EXPECT_GT(dropped, 50U);  // both answers were on trial
    EXPECT_LT(dropped, 350U);
}

TEST(Penalty, GroupOfOneIsTheLasso) {
    const StreamOptions options{.penalty = Penalty::group_lasso};
    EXPECT_DOUBLE_EQ(proximal_step(options, -0.75, 0.5), -0.75 * group_factor(0.75, 0.5));
    EXPECT_EQ(penalty_value(options, -0.75, 0.5, 0.0), 0.375);
    EXPECT_EQ(group_factor(0.5, 0.5), 0.0);
}

TEST(Groups, ListTheInputsOfEachGroupInOrder) {
    const std::vector<std::size_t> group_of_input = {3, 0, 3, 1, 0, 3};
    const Groups groups(group_of_input);
    ASSERT_EQ(groups.count(), 4U);
    auto members = [&](std::size_t g) { return std::vector<std::size_t>(groups.of(g).begin(), groups.of(g).end()); };
    EXPECT_EQ(members(0), (std::vector<std::size_t>{1, 4}));
    EXPECT_EQ(members(1), (std::vector<std::size_t>{3}));
    EXPECT_TRUE(members(2).empty());  // a number that no input bears
    EXPECT_EQ(members(3), (std::vector<std::size_t>{0, 2, 5}));
}

TEST(Groups, AreNoneWithoutInputs) {
    EXPECT_EQ(Groups().count(), 0U);
    EXPECT_EQ(Groups(std::vector<std::size_t>{}).count(), 0U);
}

}  // namespace
}  // namespace sluice::core::penalty_test
