// The path beside a slow one that solves every regression by itself.
#include "path.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "constants.hpp"
#include "plan.hpp"
#include "sluice/error.hpp"
#include "state.hpp"
#include "support/streams.hpp"

namespace sluice::tune::path_test {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Variables = std::vector<std::size_t>;

/// Correlations of the rows so far, with weights forgetting^age.
struct Correlations {
    Correlations(const test::Table& table, std::size_t rows, double forgetting) {
        const auto count = static_cast<Index>(rows);
        const auto width = static_cast<Index>(table.p + table.q);
        MatrixXd all(count, width);
        VectorXd w(count);
        for (Index t = 0; t < count; ++t) {
            const auto x = table.x_row(static_cast<std::size_t>(t));
            const auto y = table.y_row(static_cast<std::size_t>(t));
            std::ranges::copy(x, all.row(t).begin());
            std::ranges::copy(y, all.row(t).begin() + static_cast<std::ptrdiff_t>(table.p));
            w(t) = std::pow(forgetting, static_cast<double>(count - 1 - t));
        }
        all.rowwise() -= (all.transpose() * w / w.sum()).transpose();
        all = w.cwiseSqrt().asDiagonal() * all;
        varies.resize(table.p);
        for (Index j = 0; j < width; ++j) {
            const double norm = all.col(j).norm();
            if (j < static_cast<Index>(table.p)) {
                varies[static_cast<std::size_t>(j)] = norm > 1e-9;
            }
            all.col(j) /= norm > 1e-9 ? norm : 1.0;
        }
        R = all.leftCols(static_cast<Index>(table.p)).transpose() * all;
        outputs = static_cast<Index>(table.q);
    }
    /// What a ridge regression on these variables explains of all outputs' variances together.
    [[nodiscard]] double fit(const Variables& variables, double ridge) const {
        const auto size = static_cast<Index>(variables.size());
        if (size == 0) {
            return 0.0;
        }
        MatrixXd A(size, size);
        MatrixXd m(size, outputs);
        for (Index i = 0; i < size; ++i) {
            const auto row = static_cast<Index>(variables[static_cast<std::size_t>(i)]);
            for (Index j = 0; j < size; ++j) {
                A(i, j) = R(row, static_cast<Index>(variables[static_cast<std::size_t>(j)]));
            }
            A(i, i) += ridge;
            m.row(i) = R.row(row).tail(outputs);
        }
        return (m.transpose() * A.ldlt().solve(m)).trace();
    }

    MatrixXd R;  // inputs x (inputs, outputs)
    std::vector<bool> varies;
    Index outputs = 1;
};

struct SlowVoter {
    const Correlations* correlations = nullptr;
    double weight = 0.0;
    double ridge = 0.0;
};

/// path.hpp with every regression solved. All inputs off the path are candidates.
class SlowPath {
  public:
    void update(std::span<const SlowVoter> voters, std::size_t in_use, std::size_t room, std::size_t exchanges) {
        const std::size_t p = voters.front().correlations->varies.size();
        auto constant = [&](std::size_t j) {
            return std::ranges::all_of(voters, [&](const SlowVoter& v) { return !v.correlations->varies[j]; });
        };
        std::erase_if(path, constant);
        in_use = std::min(in_use, path.size());
        path.resize(std::min(path.size(), std::max(room, in_use)));
        Variables held(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(in_use));
        auto hold = [&](std::size_t j) { return std::ranges::count(held, j) > 0 ? 1.0 + kHoldInUse : 1.0; };
        for (std::size_t turn = 0; turn < exchanges; ++turn) {
            std::size_t best = p;
            double most = -1.0;
            for (std::size_t j = 0; j < p; ++j) {
                if (std::ranges::count(path, j) == 0 && !constant(j) && fit_with(voters, path, j) > most) {
                    most = fit_with(voters, path, j);
                    best = j;
                }
            }
            if (best == p) {
                break;
            }
            if (path.size() < room) {
                path.push_back(best);
                continue;
            }
            const auto least = std::ranges::min_element(
                path, {}, [&](std::size_t j) { return hold(j) * (fit(voters, path) - fit_without(voters, path, j)); });
            const double loss = hold(*least) * (fit(voters, path) - fit_without(voters, path, *least));
            if (most - fit(voters, path) <= (1.0 + kHold) * loss) {
                break;
            }
            std::erase(held, *least);
            *least = best;
        }
        // Backward elimination.
        Variables left = path;
        gains.assign(path.size() + 1, {});
        std::vector<Variables> orders;
        for (std::size_t place = path.size(); place-- > 0;) {
            const auto out = *std::ranges::min_element(
                left, {}, [&](std::size_t j) { return hold(j) * (fit(voters, left) - fit_without(voters, left, j)); });
            orders.push_back(left);
            std::erase(left, out);
            path[place] = out;
        }
        for (std::size_t names = 1; names <= path.size(); ++names) {
            const Variables first(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(names));
            for (const std::size_t j : first) {
                gains[names].push_back((fit(voters, first) - fit_without(voters, first, j)) /
                                       static_cast<double>(voters.front().correlations->outputs));
            }
        }
    }

    static double fit(std::span<const SlowVoter> voters, const Variables& variables) {
        double sum = 0.0;
        for (const SlowVoter& voter : voters) {
            sum += voter.weight * voter.correlations->fit(variables, voter.ridge);
        }
        return sum;
    }
    static double fit_with(std::span<const SlowVoter> voters, Variables variables, std::size_t input) {
        variables.push_back(input);
        return fit(voters, variables);
    }
    static double fit_without(std::span<const SlowVoter> voters, Variables variables, std::size_t input) {
        std::erase(variables, input);
        return fit(voters, variables);
    }

    Variables path;
    std::vector<std::vector<double>> gains;  // [names][place]
};

/// Memories of one stream, with other forgetting factors.
class Memories {
  public:
    Memories(std::size_t p, std::size_t q, std::vector<double> forgetting)
        : forgetting_(std::move(forgetting)), plan_(p, q, AdaptiveOptions{}) {
        for (const double factor : forgetting_) {
            StreamOptions options = plan_.options_of(0, {});
            options.forgetting = factor;
            memories_.emplace_back(p, q, options, plan_.readings);
        }
    }
    void learn(const test::Table& table, std::size_t row) {
        for (Memory& memory : memories_) {
            (void)memory.learn(table.x_row(row), table.y_row(row), true, std::vector<double>(table.q, 0.0), true,
                               plan_.readings);
        }
    }
    [[nodiscard]] std::vector<Correlations> correlations(const test::Table& table, std::size_t rows) const {
        std::vector<Correlations> all;
        for (const double factor : forgetting_) {
            all.emplace_back(table, rows, factor);
        }
        return all;
    }
    [[nodiscard]] const Memory& operator[](std::size_t i) const { return memories_[i]; }

  private:
    std::vector<double> forgetting_;
    Plan plan_;
    std::vector<Memory> memories_;
};

// Correlated inputs; the outputs follow some of them, and others after half of the rows.
test::Table correlated_table(std::uint64_t seed, std::size_t rows, std::size_t p, std::size_t q) {
    NormalSource normal(seed);
    test::Table table{.p = p, .q = q, .x = {}, .y = {}};
    for (std::size_t t = 0; t < rows; ++t) {
        const double common = normal.next();
        for (std::size_t j = 0; j < p; ++j) {
            table.x.push_back((0.8 * common) + normal.next(static_cast<double>(j), 1.0));
        }
        for (std::size_t k = 0; k < q; ++k) {
            const std::size_t first = k + (2 * t < rows ? 0 : 4);
            const auto x = table.x_row(t);
            table.y.push_back((2.0 * x[first % p]) - x[(first + 1) % p] + (0.5 * x[(first + 3) % p]) + normal.next());
        }
    }
    return table;
}

TEST(Path, ItsOrderGainsAndExchangesAreThoseOfRegressionsSolvedOneByOne) {
    constexpr std::size_t p = 9;
    std::size_t exchanged = 0;
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
        const std::size_t q = 1 + (seed % 3);
        const auto table = correlated_table(seed, 90, p, q);
        Memories memories(p, q, {1.0, 0.9});
        Path path(p, q, 6);
        SlowPath slow;
        for (std::size_t t = 0; t < table.rows(); ++t) {
            memories.learn(table, t);
            if (t < 12) {  // below, correlations of few rows tie
                continue;
            }
            SCOPED_TRACE(testing::Message() << "seed " << seed << ", row " << t);
            const auto correlations = memories.correlations(table, t + 1);
            const double weight = 0.2 + (0.06 * static_cast<double>(t % 10));
            const std::vector<Voter> voters = {{.memory = &memories[0], .weight = weight, .ridge = 0.02},
                                               {.memory = &memories[1], .weight = 1.0 - weight, .ridge = 0.1}};
            const std::vector<SlowVoter> slow_voters = {
                {.correlations = &correlations[0], .weight = weight, .ridge = 0.02},
                {.correlations = &correlations[1], .weight = 1.0 - weight, .ridge = 0.1}};
            const std::size_t in_use = t % 5;
            const std::size_t room = t < 20 ? 3 : t % 7 == 0 ? 4 : 6;
            const Variables before(path.variables().begin(), path.variables().end());
            path.update(voters, in_use, room, 1 + (t % 3));
            slow.update(slow_voters, in_use, room, 1 + (t % 3));
            ASSERT_TRUE(std::ranges::equal(path.variables(), slow.path))
                << testing::PrintToString(Variables(path.variables().begin(), path.variables().end())) << " and "
                << testing::PrintToString(slow.path);
            for (std::size_t names = 1; names <= slow.path.size(); ++names) {
                for (std::size_t place = 0; place < names; ++place) {
                    // Differences of fits near 1, of correlations whose condition is some tens.
                    ASSERT_NEAR(path.gain(place, names), slow.gains[names][place], 1e-10) << place << " of " << names;
                }
            }
            for (const std::size_t j : path.variables()) {
                exchanged += std::ranges::count(before, j) == 0 ? 1U : 0U;
            }
        }
    }
    EXPECT_GT(exchanged, 100U);
}

// All subsets of four of nine inputs: the path's fit is that of the best one, or near it.
TEST(Path, ItsFitIsWithinAHundredthOfTheBestSubsetOfItsSize) {
    constexpr std::size_t p = 9;
    constexpr double kRidge = 0.01;
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
        const auto table = correlated_table(seed, 60, p, 1);
        Memories memories(p, 1, {1.0});
        Path path(p, 1, 4);
        for (std::size_t t = 0; t < table.rows(); ++t) {
            memories.learn(table, t);
            if (t >= 3) {
                path.update(std::vector<Voter>{{.memory = &memories[0], .weight = 1.0, .ridge = kRidge}}, 0, 4, 2);
            }
        }
        const auto correlations = memories.correlations(table, table.rows());
        double best = 0.0;
        for (unsigned set = 0; set < (1U << p); ++set) {
            Variables variables;
            for (std::size_t j = 0; j < p; ++j) {
                if ((set >> j & 1U) != 0) {
                    variables.push_back(j);
                }
            }
            best = variables.size() == 4 ? std::max(best, correlations[0].fit(variables, kRidge)) : best;
        }
        const double own = correlations[0].fit({path.variables().begin(), path.variables().end()}, kRidge);
        EXPECT_GT(own, best - 0.01) << "seed " << seed;  // an exchange needs a quarter more than what it replaces
    }
}

TEST(Path, ConstantInputsAreNeverOnIt) {
    constexpr std::size_t p = 6;
    auto table = correlated_table(3, 80, p, 1);
    for (std::size_t t = 0; t < table.rows(); ++t) {
        table.x_row(t)[1] = 5.0;
        if (t < 40) {
            table.x_row(t)[3] = -1e6;
        }
    }
    Memories memories(p, 1, {1.0, 0.5});
    Path path(p, 1, p);
    bool late = false;
    for (std::size_t t = 0; t < table.rows(); ++t) {
        memories.learn(table, t);
        const std::vector<Voter> voters = {{.memory = &memories[0], .weight = 0.5, .ridge = 0.01},
                                           {.memory = &memories[1], .weight = 0.5, .ridge = 0.01}};
        if (memories[0].units().anything_varies()) {
            path.update(voters, 2, p, 3);
        }
        ASSERT_EQ(std::ranges::count(path.variables(), 1U), 0) << "row " << t;
        ASSERT_TRUE(t >= 40 || std::ranges::count(path.variables(), 3U) == 0) << "row " << t;
        late = late || std::ranges::count(path.variables(), 3U) > 0;
    }
    EXPECT_TRUE(late);
    EXPECT_EQ(path.variables().size(), p - 1);
}

// Seen: an input that stopped varying was constant for the short memory, was dropped in every row for that, and taken on again in the same
// row for what it does in the long memory. Now it stays until it is constant for all of them.
TEST(Path, AnInputThatStoppedVaryingStaysAsLongAsOneMemoryKnowsWhatItDoes) {
    constexpr std::size_t p = 6;
    auto table = correlated_table(4, 700, p, 1);
    for (std::size_t t = 0; t < table.rows(); ++t) {
        const auto x = table.x_row(t);
        x[0] = t < 60 ? x[0] : 2.0;
        table.y_row(t)[0] = (5.0 * x[0]) + x[1];
    }
    Memories memories(p, 1, {0.9, 0.5});
    Path path(p, 1, 2);
    std::size_t constant_for_one = 0;
    std::size_t constant_for_both = 0;
    for (std::size_t t = 0; t < table.rows(); ++t) {
        memories.learn(table, t);
        if (t < 3) {
            continue;
        }
        const std::vector<Voter> voters = {{.memory = &memories[0], .weight = 0.5, .ridge = 0.01},
                                           {.memory = &memories[1], .weight = 0.5, .ridge = 0.01}};
        path.update(voters, 2, 2, 0);  // no candidate enters: what is dropped stays away
        if (t < 20) {
            path.update(voters, 2, 2, 2);
        }
        auto constant = [&](std::size_t i) { return memories[i].units().input_unit(memories[i].moments(), 0) == 0.0; };
        const auto on_path = std::ranges::count(path.variables(), 0U);
        constant_for_one += constant(1) && !constant(0) ? 1U : 0U;
        constant_for_both += constant(1) && constant(0) ? 1U : 0U;
        ASSERT_EQ(on_path, t >= 20 && constant(0) && constant(1) ? 0 : t >= 20 ? 1 : on_path) << "row " << t;
    }
    EXPECT_GT(constant_for_one, 50U);
    EXPECT_GT(constant_for_both, 0U);
}

TEST(Path, AVariableInUseIsReplacedOnlyByOneThatGainsTwiceAndAQuarterMore) {
    // Three independent inputs; the first two explain about the same.
    NormalSource normal(5);
    test::Table table{.p = 3, .q = 1, .x = {}, .y = {}};
    for (std::size_t t = 0; t < 5000; ++t) {
        for (std::size_t j = 0; j < 3; ++j) {
            table.x.push_back(normal.next());
        }
        const auto x = table.x_row(t);
        table.y.push_back(x[0] + (t < 2000 ? 0.0 : 1.3 * x[1]) + normal.next());
    }
    for (const std::size_t in_use : {0U, 1U}) {
        Memories memories(3, 1, {0.998});
        Path path(3, 1, 1);
        for (std::size_t t = 0; t < table.rows(); ++t) {
            memories.learn(table, t);
            if (t > 100) {
                path.update(std::vector<Voter>{{.memory = &memories[0], .weight = 1.0, .ridge = 0.01}}, in_use, 1, 1);
            }
            if (t == 1999) {
                ASSERT_EQ(path.variables()[0], 0U);
            }
        }
        // The second explains 1.3^2 = 1.7 times as much: more than the quarter, and less than twice that.
        EXPECT_EQ(path.variables()[0], in_use == 0 ? 1U : 0U);
    }
}

TEST(Path, GoesOnAfterItWasSavedAndRefusesWhatCannotBe) {
    constexpr std::size_t p = 7;
    const auto table = correlated_table(6, 60, p, 2);
    Memories memories(p, 2, {1.0});
    Path path(p, 2, 5);
    for (std::size_t t = 0; t < table.rows(); ++t) {
        memories.learn(table, t);
        const std::vector<Voter> voters = {{.memory = &memories[0], .weight = 1.0, .ridge = 0.05}};
        if (t < 3) {
            continue;
        }
        core::StateWriter out;
        path.save(out);
        const auto bytes = std::move(out).unframed();
        auto in = core::StateReader::unframed(bytes);
        Path again(p, 2, 5);
        again.load(in);
        ASSERT_EQ(in.left(), 0U);
        ASSERT_TRUE(std::ranges::equal(again.variables(), path.variables()));
        path.update(voters, 2, 5, 2);
        again.update(voters, 2, 5, 2);
        ASSERT_TRUE(std::ranges::equal(again.variables(), path.variables()));
        for (std::size_t names = 1; names <= path.variables().size(); ++names) {
            for (std::size_t place = 0; place < names; ++place) {
                ASSERT_EQ(again.gain(place, names), path.gain(place, names));
            }
        }
    }
    for (const Variables& variables : {Variables{1, 1}, Variables{p}, Variables{0, 1, 2, 3, 4, 5}}) {
        core::StateWriter out;
        out.put_list(variables);
        for (int i = 0; i < 100; ++i) {
            out.put(0.5);
        }
        const auto bytes = std::move(out).unframed();
        auto in = core::StateReader::unframed(bytes);
        Path again(p, 2, 5);
        EXPECT_THROW(again.load(in), StateError);
    }
}

}  // namespace
}  // namespace sluice::tune::path_test
