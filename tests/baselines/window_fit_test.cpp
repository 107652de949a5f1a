// PLS-2 and principal components regression against scikit-learn, Bridge PLS against numpy (latent_reference.txt).
#include "window_fit.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "latent_reference.hpp"
#include "sluice/error.hpp"

namespace sluice::test {
namespace {

using baselines::WindowFit;
using baselines::WindowFitOptions;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();

WindowFit taught(const WindowFitOptions& options, const Table& table) {
    WindowFit model(table.p, table.q, options);
    learn_all(model, table);
    return model;
}

TEST(WindowFit, Pls2IsThatOfScikitLearnOnTheWindow) {
    const Table table = reference_table();
    const WindowFit model =
        taught({.method = Method::pls2, .components = 3, .window = 40, .refit_every = 5, .clip = inf}, table);
    expect_near(model.coefficients(), reference("window_pls2"), 1e-9);
    const auto at_zero = predicted_by(model, std::vector<double>(table.p, 0.0), table.q);
    for (std::size_t k = 0; k < table.q; ++k) {
        EXPECT_NEAR(at_zero[k], reference("window_pls2_intercept")(0, k), 1e-7);
    }
}

TEST(WindowFit, PrincipalComponentsRegressionIsThatOfScikitLearnOnTheWindow) {  // on inputs clipped at 2 deviations
    const Table table = reference_table();
    const WindowFit model =
        taught({.method = Method::pcr, .components = 3, .window = 40, .refit_every = 5, .clip = 2.0}, table);
    Matrix predicted(table.rows(), table.q);
    for (std::size_t t = 0; t < table.rows(); ++t) {
        const auto y = predicted_by(model, table.x_row(t), table.q);
        predicted(t, 0) = y[0];
        predicted(t, 1) = y[1];
    }
    expect_near(predicted, reference("window_pcr_predicted"), 1e-8);
}

TEST(WindowFit, BridgePlsIsTheRegressionOnTheEigenvectorsOfH) {
    const Table table = reference_table();
    const WindowFit model =
        taught({.method = Method::bridge, .components = 3, .window = 40, .refit_every = 5, .ridge = 0.1}, table);
    expect_near(model.coefficients(), reference("window_bridge"), 1e-8);
}

TEST(WindowFit, RowsThatLeftTheWindowLeaveNoTrace) {
    const Table first = factor_table(4, 77, 10, 1);
    const Table second = factor_table(5, 40, 10, 1);
    const WindowFitOptions options{.components = 4, .window = 40, .refit_every = 1};
    WindowFit late(10, 1, options);
    WindowFit fresh(10, 1, options);
    learn_all(late, first);
    learn_all(late, second);
    learn_all(fresh, second);
    EXPECT_EQ(late.coefficients(), fresh.coefficients());
}

TEST(WindowFit, GapsAreFilledWithTheLastValueAndThePrediction) {
    const Table table = factor_table(9, 80, 6, 2);
    const WindowFitOptions options{.components = 3, .window = 40, .refit_every = 5};
    WindowFit model(6, 2, options);
    WindowFit filled(6, 2, options);
    for (std::size_t t = 0; t < 80; ++t) {
        std::vector<double> x(table.x_row(t).begin(), table.x_row(t).end());
        std::vector<double> y(table.y_row(t).begin(), table.y_row(t).end());
        std::vector<double> whole_x = x;
        std::vector<double> whole_y = y;
        if (t % 4 == 1) {
            x[0] = nan;
            whole_x[0] = table.x_row(t - 1)[0];
        }
        if (t % 7 == 3) {
            y[0] = nan;
            whole_y[0] = predicted_by(filled, whole_x, 2)[0];
        }
        EXPECT_EQ(predicted_by(model, x, 2), predicted_by(filled, whole_x, 2));
        model.learn(x, y);
        filled.learn(whole_x, whole_y);
    }
    EXPECT_EQ(model.coefficients(), filled.coefficients());
}

TEST(WindowFit, MistakesAreRefused) {
    try {
        const WindowFit model(3, 1,
                              {.method = Method::sparse_bridge,
                               .components = 0,
                               .window = 1,
                               .refit_every = 0,
                               .ridge = nan,
                               .clip = 0.0});
        FAIL() << "accepted";
    } catch (const OptionError& error) {
        EXPECT_EQ(error.problems().size(), 6U);
    }
    EXPECT_NO_THROW(WindowFit(3, 1, {.components = 50}));  // 3 are used
    EXPECT_NO_THROW(WindowFit(3, 1, {.components = 1, .window = 2, .refit_every = 1, .ridge = 0.0}));
}

}  // namespace
}  // namespace sluice::test
