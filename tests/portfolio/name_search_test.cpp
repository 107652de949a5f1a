#include "name_search.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "sluice/simulate.hpp"

namespace sluice::test::name_search_test {
namespace {

using portfolio::choose_names;
using portfolio::NameSets;

struct Problem {
    Matrix G;
    Matrix M;
    std::vector<double> v;
};

// Moments of rows made at random: n stocks, two indices that are mixtures of some of them.
Problem random_problem(std::size_t n, std::uint64_t seed) {
    NormalSource normal(seed);
    const auto size = static_cast<Eigen::Index>(n);
    Eigen::MatrixXd x(60, size);
    for (Eigen::Index t = 0; t < x.rows(); ++t) {
        const double factor = normal.next();
        for (Eigen::Index j = 0; j < size; ++j) {
            x(t, j) = factor + normal.next();
        }
    }
    Eigen::MatrixXd w = Eigen::MatrixXd::Zero(size, 2);
    for (Eigen::Index j = 0; j < size; ++j) {
        w(j, j % 2) = 1.0 + (normal.next() * normal.next());
    }
    const Eigen::MatrixXd y = x * w;
    const Eigen::MatrixXd G = x.transpose() * x;
    const Eigen::MatrixXd M = x.transpose() * y;
    Problem out{.G = Matrix(n, n), .M = Matrix(n, 2), .v = {y.col(0).squaredNorm(), y.col(1).squaredNorm()}};
    std::copy_n(G.data(), G.size(), out.G.data());
    std::copy_n(M.data(), M.size(), out.M.data());
    return out;
}

double error_of(const Problem& problem, const NameSets& sets) {
    double sum = 0.0;
    for (std::size_t k = 0; k < sets.size(); ++k) {
        const auto n = static_cast<Eigen::Index>(sets[k].size());
        Eigen::MatrixXd G(n, n);
        Eigen::VectorXd m(n);
        for (Eigen::Index a = 0; a < n; ++a) {
            m(a) = problem.M(sets[k][static_cast<std::size_t>(a)], k);
            for (Eigen::Index b = 0; b < n; ++b) {
                G(a, b) = problem.G(sets[k][static_cast<std::size_t>(a)], sets[k][static_cast<std::size_t>(b)]);
            }
        }
        sum += 1.0 - (n > 0 ? m.dot(G.ldlt().solve(m)) / problem.v[k] : 0.0);
    }
    return sum;
}

std::size_t count(const NameSets& sets) {
    return sets[0].size() + sets[1].size();
}

// Every way of giving at most `names` stocks to two indices.
double best_of_all(const Problem& problem, std::size_t names) {
    const std::size_t n = problem.G.rows();
    double best = 2.0;
    std::size_t ways = 1;
    for (std::size_t j = 0; j < n; ++j) {
        ways *= 3;
    }
    for (std::size_t way = 0; way < ways; ++way) {
        NameSets sets(2);
        std::size_t rest = way;
        for (std::size_t j = 0; j < n; ++j, rest /= 3) {
            if (rest % 3 > 0) {
                sets[(rest % 3) - 1].push_back(j);
            }
        }
        if (count(sets) == names) {
            best = std::min(best, error_of(problem, sets));
        }
    }
    return best;
}

TEST(NameSearch, ComesCloseToTheBestOfAllWays) {
    double found = 0.0;
    double best = 0.0;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        const Problem problem = random_problem(8, seed);
        const NameSets sets =
            choose_names({.G = problem.G, .M = problem.M, .v = problem.v, .names = 4, .long_only = false}, NameSets(2));
        EXPECT_EQ(count(sets), 4U);
        found += error_of(problem, sets);
        best += best_of_all(problem, 4);
    }
    EXPECT_GE(found, best - 1e-9);
    EXPECT_LE(found, 1.05 * best);  // exchanges one for one miss what needs two at once; seen: 1.00 to 1.03
}

TEST(NameSearch, KeepsWhatIsHeldUnlessTheGainExceedsTheBonus) {
    const Problem problem = random_problem(20, 3);
    const NameSets held{{0, 2, 4}, {1, 3}};
    const auto changed = [&](double bonus) {
        const NameSets sets =
            choose_names({.G = problem.G, .M = problem.M, .v = problem.v, .names = 5, .hold_bonus = bonus}, held);
        return sets != held;
    };
    EXPECT_TRUE(changed(0.0));
    EXPECT_FALSE(changed(10.0));
}

TEST(NameSearch, FillsUpAndThinsOutToTheNumberAskedFor) {
    const Problem problem = random_problem(20, 4);
    for (const std::size_t names : {1U, 2U, 7U, 12U}) {
        const NameSets sets =
            choose_names({.G = problem.G, .M = problem.M, .v = problem.v, .names = names}, {{0, 2, 4}, {1, 3, 5}});
        EXPECT_EQ(count(sets), names);
    }
}

TEST(NameSearch, PassesOverStocksThatAddNothing) {
    Problem problem = random_problem(6, 5);
    for (std::size_t j = 0; j < 6; ++j) {  // stock 1 is stock 0 again
        problem.G(1, j) = problem.G(0, j);
    }
    for (std::size_t j = 0; j < 6; ++j) {
        problem.G(j, 1) = problem.G(j, 0);
    }
    problem.M(1, 0) = problem.M(0, 0);
    problem.M(1, 1) = problem.M(0, 1);
    const NameSets sets = choose_names({.G = problem.G, .M = problem.M, .v = problem.v, .names = 6}, NameSets(2));
    for (const auto& set : sets) {
        EXPECT_FALSE(std::ranges::count(set, 0U) == 1 && std::ranges::count(set, 1U) == 1);
    }
}

}  // namespace
}  // namespace sluice::test::name_search_test
