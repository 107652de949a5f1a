#include <gtest/gtest.h>

#include <Eigen/QR>
#include <Eigen/SVD>

#include "batch/example.hpp"

namespace sluice::test::pls2_test {
namespace {

using Eigen::MatrixXd;

TEST(Pls2, ScoresAreOrthogonalAndTheResidualIsOrthogonalToThem) {
    const Example e = factor_example(50, 10, 3);
    const Fit model = fit(Method::pls2, e.inputs(), e.outputs(), plain_options(5));
    const MatrixXd S = as_eigen(model.scores);
    const MatrixXd gram = S.transpose() * S;
    const MatrixXd off = gram - MatrixXd(gram.diagonal().asDiagonal());
    EXPECT_LT(off.cwiseAbs().maxCoeff(), 1e-11 * gram.maxCoeff());
    const MatrixXd residual = centred(e.Y()) - centred(e.X()) * as_eigen(model.coefficients);
    EXPECT_LT((S.transpose() * residual).norm(), 1e-11 * S.norm() * e.Y().norm());
}

TEST(Pls2, EachWeightIsTheFirstSingularVectorOfWhatDeflationLeft) {
    // eq. (4) and (5), with the fit's own scores and loadings.
    const Example e = factor_example(50, 10, 3);
    const Fit model = fit(Method::pls2, e.inputs(), e.outputs(), plain_options(4));
    MatrixXd X = centred(e.X());
    MatrixXd Y = centred(e.Y());
    for (Eigen::Index r = 0; r < 4; ++r) {
        const Eigen::JacobiSVD<MatrixXd> svd(X.transpose() * Y, Eigen::ComputeThinU);
        const MatrixXd u = as_eigen(model.weights).col(r);
        EXPECT_LT(distance_up_to_signs(u, svd.matrixU().col(0)), 1e-10) << "component " << r;
        const MatrixXd s = as_eigen(model.scores).col(r);
        EXPECT_LT((X * u - s).norm(), 1e-11 * s.norm());
        X -= s * as_eigen(model.input_loadings).col(r).transpose();
        Y -= s * as_eigen(model.loadings).row(r);
    }
}

TEST(Pls2, WithAllComponentsItIsLeastSquares) {
    const Example e = factor_example(60, 6, 2);
    const Fit model = fit(Method::pls2, e.inputs(), e.outputs(), plain_options(6));
    const MatrixXd expected = centred(e.X()).colPivHouseholderQr().solve(centred(e.Y()));
    EXPECT_LT((as_eigen(model.coefficients) - expected).norm(), 1e-9 * expected.norm());
}

TEST(Pls2, EndsWithANoteWhenNothingIsLeft) {
    Example e = factor_example(40, 4, 1);
    for (std::size_t i = 0; i < e.n(); ++i) {  // rank two
        e.input(i, 2) = e.input(i, 0);
        e.input(i, 3) = e.input(i, 1);
    }
    const Fit model = fit(Method::pls2, e.inputs(), e.outputs(), plain_options(4));
    EXPECT_EQ(model.components(), 2U);
    ASSERT_EQ(model.notes.size(), 1U);
    EXPECT_EQ(model.notes[0], "components = 4: after 2 the inputs have nothing more in common with the outputs");
}

}  // namespace
}  // namespace sluice::test::pls2_test
