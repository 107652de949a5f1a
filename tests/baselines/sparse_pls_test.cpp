// Against numpy (latent_reference.txt), where rows are deflated instead of moments, and against dense PLS.
#include "sparse_pls.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "latent_reference.hpp"
#include "recursive_pls.hpp"
#include "sluice/error.hpp"

namespace sluice::test {
namespace {

using baselines::RecursivePls;
using baselines::SparsePls;

std::vector<std::size_t> used(const Matrix& b) {
    std::vector<std::size_t> inputs;
    for (std::size_t j = 0; j < b.rows(); ++j) {
        bool any = false;
        for (std::size_t k = 0; k < b.cols(); ++k) {
            any = any || b(j, k) != 0.0;
        }
        if (any) {
            inputs.push_back(j);
        }
    }
    return inputs;
}

TEST(SparsePls, IsThatOfThePaperOnWeightedRows) {
    const Table table = reference_table();
    for (const std::size_t names : {2U, 3U, 5U}) {
        SparsePls model(table.p, table.q, {.forgetting = 0.95, .components = 2, .names = names, .solve_every = 70});
        learn_all(model, table);
        const Matrix& expected = reference("sparse_" + std::to_string(names));
        expect_near(model.coefficients(), expected, 1e-6);  // the alternation ends at 1e-10, and its rate is near 1
        EXPECT_EQ(used(model.coefficients()), used(expected));
    }
}

TEST(SparsePls, IsThatOfThePaperForOneOutput) {
    const Table table = reference_table(1);
    SparsePls model(table.p, 1, {.forgetting = 0.95, .components = 3, .names = 4, .solve_every = 70});
    learn_all(model, table);
    expect_near(model.coefficients(), reference("sparse_one_output"), 1e-9);
}

TEST(SparsePls, KeepingAllInputsIsDensePls) {
    const Table table = factor_table(3, 150, 9, 2);
    SparsePls sparse(9, 2, {.forgetting = 0.98, .components = 3, .names = 27});
    RecursivePls dense(9, 2, {.forgetting = 0.98, .components = 3});
    learn_all(sparse, table);
    learn_all(dense, table);
    expect_near(sparse.coefficients(), dense.coefficients(), 1e-9);
}

TEST(SparsePls, FindsTheInputsThatMakeTheOutputs) {
    const Table table = factor_table(1, 400, 30, 2);
    SparsePls model(30, 2, {.forgetting = 0.995, .components = 4, .names = 4});
    learn_all(model, table);
    EXPECT_EQ(used(model.coefficients()), (std::vector<std::size_t>{0, 1, 2, 3}));
}

TEST(SparsePls, UsesAtMostTheNamesAskedAtEveryRow) {
    const Table table = factor_table(2, 120, 20, 3);
    for (const std::size_t names : {1U, 2U, 7U, 20U}) {
        SparsePls model(20, 3, {.forgetting = 0.95, .components = 5, .names = names});
        for (std::size_t t = 0; t < table.rows(); ++t) {
            model.learn(table.x_row(t), table.y_row(t));
            ASSERT_LE(used(model.coefficients()).size(), names) << "row " << t;
        }
        EXPECT_GE(used(model.coefficients()).size(), (names + 1) / 2);
    }
}

TEST(SparsePls, OfTwoEqualInputsTheFirstIsChosen) {
    Table table = factor_table(8, 60, 6, 1);
    for (std::size_t t = 0; t < 60; ++t) {
        table.x_row(t)[4] = table.x_row(t)[0];
    }
    SparsePls model(6, 1, {.forgetting = 1.0, .components = 1, .names = 1});
    learn_all(model, table);
    EXPECT_EQ(used(model.coefficients()), std::vector<std::size_t>{0});
}

TEST(SparsePls, MistakesAreRefused) {
    try {
        const SparsePls model(3, 1, {.forgetting = 0.4, .components = 0, .names = 0, .solve_every = 0});
        FAIL() << "accepted";
    } catch (const OptionError& error) {
        EXPECT_EQ(error.problems().size(), 4U);
    }
    EXPECT_NO_THROW(SparsePls(3, 1, {.forgetting = 1.0, .components = 1, .names = 1}));
}

}  // namespace
}  // namespace sluice::test
