#include <gtest/gtest.h>

#include <Eigen/QR>
#include <Eigen/SVD>

#include "batch/example.hpp"

namespace sluice::test::bridge_test {
namespace {

using Eigen::MatrixXd;

TEST(Bridge, WeightsAreOrthonormalAndMakeHDiagonal) {
    for (const std::size_t p : {12U, 80U}) {  // fewer and more inputs than rows
        const Example e = factor_example(40, p, 2);
        const Fit model = fit(Method::bridge, e.inputs(), e.outputs(), plain_options(4, 0.01));
        const MatrixXd U = as_eigen(model.weights);
        EXPECT_LT((U.transpose() * U - MatrixXd::Identity(4, 4)).cwiseAbs().maxCoeff(), 1e-13);
        const MatrixXd X = centred(e.X());
        const MatrixXd M = X.transpose() * centred(e.Y());
        const MatrixXd XU = X * U;
        const MatrixXd MU = M.transpose() * U;
        const MatrixXd D =
            0.01 / X.squaredNorm() * XU.transpose() * XU + 0.99 / M.squaredNorm() * MU.transpose() * MU;  // U'HU
        EXPECT_LT((D - MatrixXd(D.diagonal().asDiagonal())).cwiseAbs().maxCoeff(), 1e-14);
        for (Eigen::Index r = 1; r < 4; ++r) {
            EXPECT_LT(D(r, r), D(r - 1, r - 1));
        }
    }
}

TEST(Bridge, ResidualIsOrthogonalToTheScores) {
    const Example e = factor_example(40, 12, 2);
    for (const Method method : {Method::bridge, Method::pcr, Method::sparse_bridge}) {
        const Fit model = fit(method, e.inputs(), e.outputs(), plain_options(4));
        const MatrixXd S = as_eigen(model.scores);
        const MatrixXd residual = centred(e.Y()) - centred(e.X()) * as_eigen(model.coefficients);
        EXPECT_LT((S.transpose() * residual).norm(), 1e-11 * S.norm() * e.Y().norm());
        const MatrixXd left = centred(e.X()) - S * as_eigen(model.input_loadings).transpose();
        EXPECT_LT((S.transpose() * left).norm(), 1e-11 * S.norm() * e.X().norm());
    }
}

TEST(Bridge, RidgeOneIsPrincipalComponentsRegression) {
    const Example e = factor_example(40, 12, 2);
    const MatrixXd X = centred(e.X());
    const Eigen::JacobiSVD<MatrixXd> svd(X, Eigen::ComputeThinU | Eigen::ComputeThinV);
    const MatrixXd V = svd.matrixV().leftCols(3);
    const MatrixXd scores_inverse = svd.singularValues().head(3).cwiseInverse().asDiagonal();
    const MatrixXd expected = V * scores_inverse * svd.matrixU().leftCols(3).transpose() * centred(e.Y());
    const Fit as_bridge = fit(Method::bridge, e.inputs(), e.outputs(), plain_options(3, 1.0));
    const Fit as_pcr = fit(Method::pcr, e.inputs(), e.outputs(), plain_options(3));
    EXPECT_LT((as_eigen(as_pcr.coefficients) - expected).norm(), 1e-11 * expected.norm());
    EXPECT_EQ(as_bridge.coefficients, as_pcr.coefficients);
    const double total = svd.singularValues().squaredNorm();
    for (std::size_t r = 0; r < 3; ++r) {
        const double sigma = svd.singularValues()[static_cast<Eigen::Index>(r)];
        EXPECT_NEAR(as_pcr.explained_inputs[r], sigma * sigma / total, 1e-12);
    }
}

TEST(Bridge, RidgeZeroGivesAsManyComponentsAsTheRankOfM) {
    const Example one = factor_example(40, 12, 1);
    const Fit single = fit(Method::bridge, one.inputs(), one.outputs(), plain_options(5, 0.0));
    ASSERT_EQ(single.components(), 1U);
    ASSERT_EQ(single.notes.size(), 1U);
    EXPECT_EQ(single.notes[0], "components = 5: M has rank 1, so ridge = 0 supports only 1; give a ridge above 0");

    const Example three = factor_example(40, 12, 3);
    const Fit several = fit(Method::bridge, three.inputs(), three.outputs(), plain_options(3, 0.0));
    ASSERT_EQ(several.components(), 3U);
    EXPECT_TRUE(several.notes.empty());
    const MatrixXd M = centred(three.X()).transpose() * centred(three.Y());
    const Eigen::JacobiSVD<MatrixXd> svd(M, Eigen::ComputeThinU);
    EXPECT_LT(distance_up_to_signs(as_eigen(several.weights), svd.matrixU()), 1e-10);
}

TEST(Bridge, ARidgeLiftsTheLimitOfM) {
    const Example e = factor_example(40, 12, 1);
    const Fit model = fit(Method::bridge, e.inputs(), e.outputs(), plain_options(12));
    ASSERT_EQ(model.components(), 12U);
    EXPECT_TRUE(model.notes.empty());
    const MatrixXd expected = centred(e.X()).colPivHouseholderQr().solve(centred(e.Y()));  // all components
    EXPECT_LT((as_eigen(model.coefficients) - expected).norm(), 1e-8 * expected.norm());
}

TEST(Bridge, NeverMoreComponentsThanTheRankOfTheInputs) {
    const Example e = factor_example(5, 12, 1);  // centred: rank four
    const Fit model = fit(Method::bridge, e.inputs(), e.outputs(), plain_options(6));
    EXPECT_EQ(model.components(), 4U);
    ASSERT_EQ(model.notes.size(), 1U);
    EXPECT_EQ(model.notes[0], "components = 6: H has rank 4, which is that of the inputs, and supports only 4");
}

TEST(Bridge, RawBalanceTakesTheOutputsUnitsAsTheyStand) {
    // As printed, H = alpha C + (1 - alpha) M M': tiny outputs leave principal components, huge ones leave M alone.
    Example e = factor_example(40, 6, 1);
    StreamOptions options = plain_options(1, 0.5);
    options.balance = Balance::raw;
    const auto first_weights = [&](double size) {
        Example sized = e;
        for (double& y : sized.y) {
            y *= size;
        }
        return as_eigen(fit(Method::bridge, sized.inputs(), sized.outputs(), options).weights);
    };
    const Fit principal = fit(Method::pcr, e.inputs(), e.outputs(), options);
    const MatrixXd M = centred(e.X()).transpose() * centred(e.Y());
    EXPECT_LT(distance_up_to_signs(first_weights(1e-150), as_eigen(principal.weights)), 1e-12);
    EXPECT_LT(distance_up_to_signs(first_weights(1e150), M.normalized()), 1e-12);
    EXPECT_GT(distance_up_to_signs(first_weights(1.0), as_eigen(principal.weights)), 1e-3);
}

// M = 0 exactly: without a ridge H is 0, a matrix without a single row in its root.
TEST(Bridge, WithoutARidgeInputsThatHaveNothingInCommonWithTheOutputsSupportNoComponent) {
    const Example e{.p = 1, .q = 1, .x = {1.0, -1.0, 0.0, 0.0}, .y = {0.0, 0.0, 1.0, -1.0}};
    for (const Method method : {Method::bridge, Method::sparse_bridge}) {
        for (const Deflation deflation : {Deflation::refit, Deflation::project}) {
            StreamOptions options = plain_options(1, 0.0);
            options.deflation = deflation;
            const Fit model = fit(method, e.inputs(), e.outputs(), options);
            EXPECT_EQ(model.components(), 0U);
            EXPECT_EQ(model.notes, std::vector<std::string>{"components = 1: M has rank 0, so ridge = 0 supports only "
                                                            "0; give a ridge above 0"});
        }
    }
}

}  // namespace
}  // namespace sluice::test::bridge_test
