// What every off-line method must do alike: results that hang together, hard data, units, errors.
#include "sluice/fit.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "batch/example.hpp"
#include "sluice/error.hpp"

namespace sluice::test::fit_test {
namespace {

using Eigen::MatrixXd;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();

struct Way {
    std::string name;
    Method method;
    Deflation deflation = Deflation::project;
};

class EveryMethod : public testing::TestWithParam<Way> {
  protected:
    static Fit run(const Example& e, StreamOptions options) {
        options.deflation = GetParam().deflation;
        return fit(GetParam().method, e.inputs(), e.outputs(), options);
    }
    static StreamOptions scaled(std::size_t components) {
        StreamOptions options;
        options.components = components;
        options.forgetting = 0.99;
        return options;
    }
    static void expect_finite(const Fit& model) {
        for (const Matrix* m :
             {&model.weights, &model.loadings, &model.input_loadings, &model.scores, &model.coefficients}) {
            EXPECT_TRUE(as_eigen(*m).allFinite());
        }
        for (const auto* v : {&model.intercept, &model.explained_inputs, &model.explained_outputs, &model.importance}) {
            for (const double value : *v) {
                EXPECT_TRUE(std::isfinite(value));
            }
        }
    }
};

INSTANTIATE_TEST_SUITE_P(Fit, EveryMethod,
                         testing::Values(Way{"Pls2", Method::pls2}, Way{"Bridge", Method::bridge},
                                         Way{"Pcr", Method::pcr}, Way{"SparseBridge", Method::sparse_bridge},
                                         Way{"SparseBridgeRefit", Method::sparse_bridge, Deflation::refit}),
                         [](const testing::TestParamInfo<Way>& way) { return way.param.name; });

TEST_P(EveryMethod, PredictsWhatScoresAndLoadingsSay) {
    const Example e = factor_example(40, 8, 2);
    const Fit model = run(e, plain_options(3));
    const bool refit = GetParam().deflation == Deflation::refit;  // predicts by its own coefficients, not by U W
    const MatrixXd fitted = refit ? MatrixXd(centred(e.X()) * as_eigen(model.coefficients))
                                  : MatrixXd(as_eigen(model.scores) * as_eigen(model.loadings));
    const Eigen::RowVectorXd means = e.Y().colwise().mean();
    for (std::size_t i = 0; i < e.n(); ++i) {
        const std::vector<double> y = model.predict(e.inputs()[i]);
        for (std::size_t k = 0; k < 2; ++k) {
            const auto column = static_cast<Eigen::Index>(k);
            EXPECT_NEAR(y[k], means[column] + fitted(static_cast<Eigen::Index>(i), column), 1e-10);
        }
    }
}

TEST_P(EveryMethod, ExplainedSharesAddUpToTheFittedVariance) {
    const Example e = factor_example(40, 8, 2);
    const Fit model = run(e, plain_options(3));
    const MatrixXd Y = centred(e.Y());
    const MatrixXd residual = Y - as_eigen(model.scores) * as_eigen(model.loadings);
    const double sum = std::accumulate(model.explained_outputs.begin(), model.explained_outputs.end(), 0.0);
    EXPECT_NEAR(sum, 1.0 - residual.squaredNorm() / Y.squaredNorm(), 1e-11);
    EXPECT_LT(std::accumulate(model.explained_inputs.begin(), model.explained_inputs.end(), 0.0), 1.0 + 1e-12);
    // The squares of the VIPs average to one.
    double squares = 0.0;
    for (const double vip : model.importance) {
        squares += vip * vip;
    }
    EXPECT_NEAR(squares / 8.0, 1.0, 1e-12);
}

TEST_P(EveryMethod, LargestWeightIsPositive) {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        const Example e = factor_example(30, 6, 1, seed);
        const MatrixXd U = as_eigen(run(e, plain_options(3)).weights);
        for (Eigen::Index r = 0; r < U.cols(); ++r) {
            EXPECT_GT(U.col(r).maxCoeff(), -U.col(r).minCoeff());
        }
    }
}

TEST_P(EveryMethod, PowersOfTwoInTheUnitsChangeNoSelectionAndNoBit) {
    const Example e = factor_example(40, 10, 2);
    const Fit model = run(e, plain_options(3));
    for (const auto& [x_size, y_size] : {std::pair{0x1p-498, 0x1p498}, {0x1p498, 0x1p-498}, {8.0, 1.0}, {1.0, 0.25}}) {
        Example sized = e;
        for (double& x : sized.x) {
            x *= x_size;
        }
        for (double& y : sized.y) {
            y *= y_size;
        }
        const Fit other = run(sized, plain_options(3));
        EXPECT_EQ(other.selected, model.selected);
        EXPECT_EQ(other.weights, model.weights);
        EXPECT_EQ(as_eigen(other.coefficients), as_eigen(model.coefficients) * (y_size / x_size));
        EXPECT_EQ(as_eigen(other.scores), as_eigen(model.scores) * x_size);
    }
}

TEST_P(EveryMethod, ScaledColumnsMayHaveAnyUnitsOfTheirOwn) {
    const Example e = factor_example(40, 10, 2);
    const Fit model = run(e, scaled(3));
    Example sized = e;
    for (std::size_t i = 0; i < e.n(); ++i) {
        sized.input(i, 0) *= 0x1p500;
        sized.input(i, 1) *= 0x1p-500;
        sized.output(i, 1) *= 0x1p-500;
    }
    const Fit other = run(sized, scaled(3));
    EXPECT_EQ(other.selected, model.selected);
    EXPECT_EQ(other.weights, model.weights);
    EXPECT_EQ(other.coefficients(1, 0), model.coefficients(1, 0) * 0x1p500);
    expect_finite(other);
}

TEST_P(EveryMethod, PermutingTheInputsPermutesTheAnswer) {
    const Example e = factor_example(40, 10, 2);
    Example turned = e;  // input j becomes input (3 j + 1) mod 10
    for (std::size_t i = 0; i < e.n(); ++i) {
        for (std::size_t j = 0; j < 10; ++j) {
            turned.input(i, ((3 * j) + 1) % 10) = e.inputs()[i][j];
        }
    }
    const Fit model = run(e, scaled(3));
    const Fit other = run(turned, scaled(3));
    ASSERT_EQ(other.components(), model.components());
    for (std::size_t j = 0; j < 10; ++j) {
        const std::size_t to = ((3 * j) + 1) % 10;
        for (std::size_t r = 0; r < model.components(); ++r) {
            EXPECT_NEAR(other.weights(to, r), model.weights(j, r), 1e-9);
            EXPECT_EQ(other.weights(to, r) == 0.0, model.weights(j, r) == 0.0);
        }
        EXPECT_NEAR(other.coefficients(to, 1), model.coefficients(j, 1), 1e-9);
        EXPECT_NEAR(other.importance[to], model.importance[j], 1e-9);
    }
}

TEST_P(EveryMethod, TheSameDataGivesTheSameBits) {
    const Example e = factor_example(150, 140, 2);  // large enough for the iteration
    const Fit one = run(e, scaled(3));
    const Fit two = run(e, scaled(3));
    EXPECT_EQ(one.weights, two.weights);
    EXPECT_EQ(one.coefficients, two.coefficients);
}

TEST_P(EveryMethod, InputsThatDoNotVaryAreNeverSelected) {
    Example e = factor_example(40, 8, 2);
    for (std::size_t i = 0; i < e.n(); ++i) {
        e.input(i, 0) = 0.1;
        e.input(i, 3) = 0.0;
        e.input(i, 5) = nan;
        e.input(i, 6) = e.input(i, 7);  // a duplicate
    }
    for (const StreamOptions& options : {plain_options(4), scaled(4)}) {
        const Fit model = run(e, options);
        expect_finite(model);
        const bool refit = GetParam().deflation == Deflation::refit;  // runs out of inputs not yet kept
        ASSERT_GE(model.components(), refit ? 2U : 3U);
        for (const std::size_t j : {0U, 3U, 5U}) {
            for (std::size_t r = 0; r < model.components(); ++r) {
                EXPECT_EQ(model.weights(j, r), 0.0);
            }
            EXPECT_EQ(model.coefficients(j, 0), 0.0);
            EXPECT_EQ(model.importance[j], 0.0);
        }
        for (const auto& selected : model.selected) {
            EXPECT_FALSE(selected.empty());
        }
    }
}

TEST_P(EveryMethod, MoreInputsThanRows) {
    const Example e = factor_example(8, 50, 2);
    for (const StreamOptions& options : {plain_options(20), scaled(20)}) {
        const Fit model = run(e, options);
        expect_finite(model);
        EXPECT_GE(model.components(), 1U);
        if (GetParam().method != Method::sparse_bridge) {
            EXPECT_EQ(model.components(), 7U);  // the rank of eight centred rows
            EXPECT_EQ(model.notes.size(), 1U);
        }
    }
}

TEST_P(EveryMethod, AHundredOutputs) {
    const Example e = factor_example(60, 30, 100);
    const Fit model = run(e, scaled(3));
    expect_finite(model);
    EXPECT_EQ(model.components(), 3U);
    EXPECT_EQ(model.coefficients.cols(), 100U);
    // Three hidden factors drive all outputs.
    EXPECT_GT(std::accumulate(model.explained_outputs.begin(), model.explained_outputs.end(), 0.0), 0.5);
}

// S = X G + c: the map from the caller's inputs to the scores, for rows that were fitted and for others.
TEST_P(EveryMethod, ScoresOfTheRowsFittedAreTheScores) {
    Example e = factor_example(60, 8, 2);
    e.input(7, 2) = nan;
    for (std::size_t i = 0; i < e.n(); ++i) {
        e.input(i, 1) *= 1000.0;
        e.input(i, 4) = 3.0;  // does not vary
    }
    for (const bool center : {true, false}) {
        for (const bool scale : {true, false}) {
            StreamOptions options = scaled(3);
            options.center = center;
            options.scale_inputs = options.scale_outputs = scale;
            const Fit model = run(e, options);
            ASSERT_GE(model.components(), 2U);
            for (std::size_t r = 0; r < model.components(); ++r) {
                const auto column = model.scores.column(r);
                const double size = Eigen::Map<const Eigen::VectorXd>(column.data(), 60).cwiseAbs().maxCoeff();
                for (std::size_t i = 0; i < e.n(); ++i) {
                    EXPECT_NEAR(model.scores_of(e.inputs()[i])[r], column[i], 1e-12 * size) << center << scale;
                }
            }
        }
    }
}

// Prediction is the regression of the outputs on the scores: also for rows that were not fitted.
// With deflation = refit the last refit predicts.
TEST(Fit, PredictionsAreWhatTheScoresOfARowSay) {
    const Example e = factor_example(60, 8, 2);
    for (const Method method : {Method::pls2, Method::bridge, Method::pcr, Method::sparse_bridge}) {
        const Fit model = fit(method, e.inputs(), e.outputs(), plain_options(3));
        const std::vector<double> x = {5.0, nan, -3.0, 0.0, 100.0, 1.0, 2.0, 4.0};
        const std::vector<double> s = model.scores_of(x);
        const std::vector<double> at_means = model.predict(std::vector<double>(8, nan));
        for (std::size_t k = 0; k < 2; ++k) {
            double y = at_means[k];  // where all scores are 0
            for (std::size_t r = 0; r < 3; ++r) {
                y += s[r] * model.loadings(r, k);
            }
            EXPECT_NEAR(model.predict(x)[k], y, 1e-10);
        }
    }
}

TEST_P(EveryMethod, ALargeMeanCostsTheScoresOnlyItsRounding) {
    Example e = factor_example(40, 6, 1);
    for (double& x : e.x) {
        x += 1e6;
    }
    const Fit model = run(e, scaled(2));
    for (std::size_t i = 0; i < e.n(); ++i) {
        for (std::size_t r = 0; r < model.components(); ++r) {
            EXPECT_NEAR(model.scores_of(e.inputs()[i])[r], model.scores(i, r), 1e-8);  // 1e6 eps, some sums of it
        }
    }
}

// Products beyond double are summed in long double; what is then still beyond is the largest double.
TEST_P(EveryMethod, PredictionsAndScoresAreFiniteForAnyFiniteRow) {
    const Example e = factor_example(40, 5, 2);
    const Fit model = run(e, plain_options(3));
    constexpr double most = std::numeric_limits<double>::max();
    for (const double size : {most, -most, 0x1p-1074}) {
        for (const double other : {most, -most, 0.0, nan}) {
            const std::vector<double> x = {size, other, size, -size, other};
            for (const double value : model.predict(x)) {
                EXPECT_TRUE(std::isfinite(value));
            }
            for (const double value : model.scores_of(x)) {
                EXPECT_TRUE(std::isfinite(value));
            }
        }
    }
}

TEST_P(EveryMethod, ScoresOfRowsThatAreForgottenAreFinite) {
    Example e = factor_example(8, 3, 1);
    for (std::size_t i = 0; i < 4; ++i) {
        e.input(i, 0) = 1e300;
    }
    for (std::size_t i = 4; i < 8; ++i) {
        e.input(i, 0) *= 1e-140;
    }
    StreamOptions options = plain_options(2);
    options.forgetting = 1e-60;
    for (const bool scale : {true, false}) {
        options.scale_inputs = scale;
        expect_finite(run(e, options));
    }
}

TEST_P(EveryMethod, OneRowPredictsItself) {
    const Example e = factor_example(1, 4, 2);
    const Fit model = run(e, plain_options(2));
    EXPECT_EQ(model.components(), 0U);
    ASSERT_EQ(model.notes.size(), 1U);
    EXPECT_EQ(model.notes[0], "no input varies: there are no components");
    EXPECT_EQ(model.intercept, e.y);
    EXPECT_TRUE(as_eigen(model.coefficients).isZero(0.0));
    EXPECT_EQ(model.predict(std::vector<double>{9.0, nan, 1.0, 2.0}), e.y);
    EXPECT_EQ(model.importance, std::vector<double>(4, 0.0));
    EXPECT_EQ(model.score_coefficients.rows(), 4U);
    EXPECT_TRUE(model.scores_of(e.x).empty());
}

TEST_P(EveryMethod, OutputsThatDoNotVaryArePredictedByTheirMean) {
    Example e = factor_example(20, 4, 2);
    for (std::size_t i = 0; i < e.n(); ++i) {
        e.output(i, 1) = 3.5;
    }
    const Fit half = run(e, scaled(2));
    expect_finite(half);
    // With refit the first component keeps all four inputs, and none is left for a second.
    EXPECT_EQ(half.components(), GetParam().deflation == Deflation::refit ? 1U : 2U);
    EXPECT_NEAR(half.predict(e.inputs()[0])[1], 3.5, 1e-15);
    e.y.assign(e.y.size(), 3.5);
    const Fit none = run(e, scaled(2));
    EXPECT_EQ(none.components(), 0U);
    ASSERT_EQ(none.notes.size(), 1U);
    EXPECT_EQ(none.notes[0], "no output varies: there are no components");
    EXPECT_NEAR(none.intercept[0], 3.5, 1e-15);
}

TEST_P(EveryMethod, AMissingInputIsPredictedAsItsMean) {
    Example e = factor_example(40, 5, 1);
    e.input(3, 2) = nan;
    const Fit model = run(e, scaled(3));
    std::vector<double> with_gap(e.inputs()[10].begin(), e.inputs()[10].end());
    std::vector<double> with_mean = with_gap;
    with_gap[2] = nan;
    with_mean[2] = model.input_means[2];
    EXPECT_EQ(model.predict(with_gap), model.predict(with_mean));
    EXPECT_TRUE(std::isfinite(model.predict(with_gap)[0]));
}

TEST_P(EveryMethod, ThroughTheOriginThereIsNoIntercept) {
    const Example e = factor_example(40, 5, 1);
    StreamOptions options = plain_options(3);
    options.center = false;
    EXPECT_EQ(run(e, options).intercept, std::vector<double>{0.0});
}

// The memory limit is for the p x p moments of the on-line model, which no off-line method stores.
TEST(Fit, ManyInputsNeedNoMatrixOfAllOfThem) {
    Example e = factor_example(6, 50'000, 1);
    for (const Method method : {Method::pls2, Method::bridge, Method::pcr, Method::sparse_bridge}) {
        EXPECT_EQ(fit(method, e.inputs(), e.outputs(), {.components = 2, .forgetting = 1.0}).components(), 2U);
    }
}

TEST(FitErrors, EveryBrokenRuleIsReported) {
    const Example e = factor_example(10, 3, 1);
    StreamOptions options = plain_options(4);
    const FitControl control{.tolerance = nan, .max_iterations = 0};
    try {
        (void)fit(Method::bridge, e.inputs(), e.outputs(), options, control);
        FAIL() << "no error";
    } catch (const OptionError& error) {
        ASSERT_EQ(error.problems().size(), 3U) << error.what();
        EXPECT_EQ(error.problems()[0], "components = 4: must be 1 to 3, the number of inputs");
        EXPECT_EQ(error.problems()[1], "tolerance = nan: must be above 0");
        EXPECT_EQ(error.problems()[2], "max_iterations = 0: must be at least 1");
    }
}

std::string data_error(const Example& e) {
    try {
        (void)fit(Method::bridge, e.inputs(), e.outputs(), plain_options(2));
    } catch (const DataError& error) {
        return error.what();
    }
    return "no error";
}

TEST(FitErrors, AnInfinityIsNamedByColumnAndRow) {
    Example e = factor_example(20, 3, 2);
    e.input(16, 2) = inf;
    EXPECT_EQ(data_error(e), "input 3 of row 17 is inf: must be finite, or NaN where missing");
    e.input(16, 2) = 0.0;
    e.output(0, 1) = -inf;
    EXPECT_EQ(data_error(e), "output 2 of row 1 is -inf: must be finite, or NaN where missing");
}

TEST(FitErrors, APartlyMissingRowOfOutputsIsNamedWithTheRemedy) {
    Example e = factor_example(20, 3, 2);
    e.output(4, 1) = nan;
    EXPECT_EQ(data_error(e),
              "output 2 of row 5 is missing and others of that row are not: give all outputs of the row, or leave the "
              "row out by giving NaN for all of them");
}

TEST(FitErrors, ACoefficientThatIsNoDoubleIsAnErrorThatNamesTheInput) {
    Example e = factor_example(20, 3, 1);
    for (std::size_t i = 0; i < e.n(); ++i) {
        e.input(i, 1) *= 0x1p-1050;
    }
    try {
        (void)fit(Method::bridge, e.inputs(), e.outputs(), {.components = 2, .forgetting = 1.0});
        FAIL() << "no error";
    } catch (const DataError& error) {
        EXPECT_EQ(std::string(error.what()),
                  "the coefficient of input 2 of output 1 is beyond the range of double: give inputs and outputs in "
                  "units that are nearer to each other");
    }
}

TEST(FitErrors, ALoadingThatIsNoDoubleIsAnErrorThatNamesIt) {
    Example e = factor_example(20, 3, 2);
    for (double& y : e.y) {
        y *= 0x1p1018;
    }
    for (double& x : e.x) {
        x *= 0x1p-20;
    }
    try {
        (void)fit(Method::bridge, e.inputs(), e.outputs(), plain_options(2));
        FAIL() << "no error";
    } catch (const DataError& error) {
        EXPECT_NE(std::string(error.what()).find("is beyond the range of double"), std::string::npos) << error.what();
    }
}

TEST(FitErrors, NothingToFitIsAnError) {
    Example e = factor_example(20, 3, 2);
    e.y.assign(e.y.size(), nan);
    EXPECT_EQ(data_error(e), "no row has its outputs: there is nothing to fit");
    e.x.clear();
    EXPECT_EQ(data_error(e), "0 rows of inputs and 20 rows of outputs: must be equally many");
    e.y.clear();
    EXPECT_EQ(data_error(e), "no rows: there is nothing to fit");
}

TEST(FitErrors, PredictRefusesTheWrongWidthAndInfinities) {
    const Example e = factor_example(20, 3, 1);
    const Fit model = fit(Method::bridge, e.inputs(), e.outputs(), plain_options(2));
    EXPECT_THROW((void)model.predict(std::vector<double>{1.0, 2.0}), DataError);
    EXPECT_THROW((void)model.predict(std::vector<double>{1.0, -inf, 2.0}), DataError);
    EXPECT_THROW((void)model.scores_of(std::vector<double>{1.0, 2.0}), DataError);
    EXPECT_THROW((void)model.scores_of(std::vector<double>{1.0, inf, 2.0}), DataError);
}

}  // namespace
}  // namespace sluice::test::fit_test
