// Against scikit-learn and numpy (latent_reference.txt), and against the off-line PLS-2 of the library.
#include "recursive_pls.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "latent_reference.hpp"
#include "sluice/error.hpp"
#include "sluice/fit.hpp"

namespace sluice::test {
namespace {

using baselines::RecursivePls;
using baselines::RecursivePlsOptions;

TEST(RecursivePls, WithoutForgettingIsThatOfScikitLearnOnAllRows) {
    const Table table = reference_table();
    RecursivePls model(table.p, table.q, {.forgetting = 1.0, .components = 4, .solve_every = 10});
    learn_all(model, table);
    expect_near(model.coefficients(), reference("pls_all_rows"), 1e-9);
}

TEST(RecursivePls, WithForgettingIsPlsOfWeightedRows) {
    const Table table = reference_table();
    RecursivePls model(table.p, table.q, {.forgetting = 0.95, .components = 4});
    learn_all(model, table);
    expect_near(model.coefficients(), reference("pls_weighted"), 1e-9);
    const auto at_zero = predicted_by(model, std::vector<double>(table.p, 0.0), table.q);
    for (std::size_t k = 0; k < table.q; ++k) {
        EXPECT_NEAR(at_zero[k], reference("pls_weighted_intercept")(0, k), 1e-7);
    }
}

TEST(RecursivePls, AgreesWithTheOffLineFitForEveryNumberOfComponents) {
    const Table table = factor_table(3, 400, 15, 3);
    for (const double forgetting : {1.0, 0.97}) {
        for (std::size_t components = 1; components <= 6; ++components) {
            RecursivePls model(15, 3, {.forgetting = forgetting, .components = components, .solve_every = 400});
            learn_all(model, table);
            StreamOptions options;
            options.components = components;
            options.forgetting = forgetting;
            const Fit fit = sluice::fit(Method::pls2, table.all_x(), table.all_y(), options);
            expect_near(model.coefficients(), fit.coefficients, 1e-8);
        }
    }
}

TEST(RecursivePls, WithAsManyComponentsAsInputsIsLeastSquares) {
    const Table table = factor_table(5, 200, 6, 1);
    RecursivePls model(6, 1, {.forgetting = 1.0, .components = 6, .solve_every = 200});
    learn_all(model, table);
    const Matrix b = model.coefficients();
    EXPECT_NEAR(b(0, 0), 3.0, 0.03);  // noise of size 0.1 over 200 rows
    EXPECT_NEAR(b(1, 0), -2.0, 0.03);
    EXPECT_NEAR(b(2, 0), 1.0, 0.03);
    EXPECT_NEAR(b(4, 0), 0.0, 0.03);
}

TEST(RecursivePls, MoreComponentsThanTheRankOfTheRowsChangeNothing) {
    Table table = factor_table(6, 100, 8, 2);
    for (std::size_t t = 0; t < 100; ++t) {  // rank 4
        for (std::size_t j = 4; j < 8; ++j) {
            table.x_row(t)[j] = table.x_row(t)[j - 4];
        }
    }
    RecursivePls four(8, 2, {.forgetting = 1.0, .components = 4, .solve_every = 100});
    RecursivePls eight(8, 2, {.forgetting = 1.0, .components = 8, .solve_every = 100});
    learn_all(four, table);
    learn_all(eight, table);
    expect_near(eight.coefficients(), four.coefficients(), 1e-6);
}

TEST(RecursivePls, MistakesAreRefused) {
    try {
        const RecursivePls model(
            3, 1, {.forgetting = std::numeric_limits<double>::quiet_NaN(), .components = 0, .solve_every = 0});
        FAIL() << "accepted";
    } catch (const OptionError& error) {
        EXPECT_EQ(error.problems().size(), 3U);
    }
    EXPECT_THROW(RecursivePls(3, 1, {.forgetting = 1.01}), OptionError);
    EXPECT_NO_THROW(RecursivePls(3, 1, {.forgetting = 0.5, .components = 1}));
}

}  // namespace
}  // namespace sluice::test
