// Engine `columns`: a column that got its rows late has the same bits as one that was kept up to date.
#include "column_gram.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <vector>

#include "history.hpp"
#include "sluice/simulate.hpp"
#include "state.hpp"

namespace sluice::core::column_gram_test {
namespace {

using Inputs = std::vector<std::size_t>;

constexpr std::size_t kInputs = 75;
constexpr double kForgetting = 0.93;

// A gram and the sums that it must hold.
class ColumnGrams : public testing::Test {
  protected:
    ColumnGram make() { return {kInputs, 24, History(kInputs, History::rows_for(kForgetting), false)}; }

    void learn(std::initializer_list<ColumnGram*> grams) {
        weight_ /= kForgetting;
        std::vector<double> h(kInputs);
        for (double& one : h) {
            one = normal_.next();
        }
        for (ColumnGram* gram : grams) {
            std::ranges::copy(h, gram->row());
            gram->add_row(weight_, workers_);
        }
        for (std::size_t i = 0; i < kInputs; ++i) {
            for (std::size_t j = 0; j < kInputs; ++j) {
                exact_[(i * kInputs) + j] += weight_ * h[i] * h[j];
            }
        }
    }
    void ask(ColumnGram& gram, const Inputs& inputs) { ASSERT_TRUE(gram.prepare(inputs, squares_, workers_)); }
    void expect_exact(const ColumnGram& gram, const Inputs& inputs) {
        for (const std::size_t j : inputs) {
            for (std::size_t i = 0; i < kInputs; ++i) {
                ASSERT_NEAR(gram.at(i, j), exact_[(i * kInputs) + j], 1e-12 * exact_[(j * kInputs) + j]);
            }
        }
    }

    NormalSource normal_{11};
    Workers workers_{1};
    double weight_ = 1.0;
    std::vector<double> exact_ = std::vector<double>(kInputs * kInputs, 0.0);
    std::vector<double> squares_ = std::vector<double>(kInputs, 0.0);
};

TEST_F(ColumnGrams, ALaggingColumnHasTheBitsOfOneThatWasKeptUpToDate) {
    const Inputs now_and_then = {3, 17, 40, 41, 42, 74};
    const Inputs always = {0, 5, 50};
    ColumnGram lagging = make();
    ColumnGram kept_up = make();
    for (std::size_t t = 0; t < 20; ++t) {
        learn({&lagging, &kept_up});
    }
    ask(lagging, now_and_then);
    ask(kept_up, now_and_then);
    for (std::size_t pause = 60; pause <= 160; pause += 9) {
        for (std::size_t t = 0; t < pause; ++t) {
            learn({&lagging, &kept_up});
            ask(lagging, always);
            ask(kept_up, always);
            ask(kept_up, now_and_then);
        }
        // By a power of two, as the moments do.
        lagging.scale(0.5);
        kept_up.scale(0.5);
        weight_ *= 0.5;
        for (double& one : exact_) {
            one *= 0.5;
        }
        ColumnGram loaded = make();
        StateWriter out;
        lagging.save(out);
        const auto bytes = out.framed();
        StateReader in(bytes);
        loaded.load(in);
        ask(loaded, now_and_then);
        ask(lagging, now_and_then);
        expect_exact(lagging, now_and_then);
        expect_exact(lagging, always);
        for (const std::size_t j : now_and_then) {
            for (std::size_t i = 0; i < kInputs; ++i) {
                ASSERT_EQ(lagging.at(i, j), kept_up.at(i, j)) << "after a pause of " << pause;
                ASSERT_EQ(lagging.at(i, j), loaded.at(i, j)) << "after a pause of " << pause;
            }
        }
    }
}

TEST_F(ColumnGrams, AChangeOfUnitsReachesTheRowsThatAColumnLacks) {
    ColumnGram gram = make();
    const Inputs some = {2, 9, 10};
    ask(gram, some);
    for (std::size_t t = 0; t < 101; ++t) {
        learn({&gram});
    }
    constexpr double kFactor = 0.125;
    gram.scale_input(9, kFactor);
    for (std::size_t i = 0; i < kInputs; ++i) {
        exact_[(i * kInputs) + 9] *= kFactor;
        exact_[(9 * kInputs) + i] *= kFactor;
    }
    ask(gram, some);
    expect_exact(gram, {2, 10});
    for (std::size_t i = 0; i < kInputs; ++i) {
        EXPECT_NEAR(gram.at(i, 9), exact_[(i * kInputs) + 9], 1e-12 * exact_[(2 * kInputs) + 2]);
    }
}

TEST_F(ColumnGrams, ManyColumnsAtOnceAreRebuiltFromTheHistory) {
    ColumnGram gram = make();
    for (std::size_t t = 0; t < 300; ++t) {
        learn({&gram});
    }
    const Inputs many = {1, 4, 7, 8, 12, 20, 21, 22, 30, 33, 60};
    ask(gram, many);
    expect_exact(gram, many);
}

}  // namespace
}  // namespace sluice::core::column_gram_test
