// Bridge PLS against a dense eigendecomposition of a dense H.
//
// H of eq. (6) is formed here from the centred data, in long double: with ridge = 1e-5 its later eigenvalues are 1e-6 of
// the first, and a decomposition in double would itself be wrong by up to 1e-9 (measured). Weights and coefficients
// must agree to 1e-10, coefficients relative to the largest.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <string>

#include "batch/example.hpp"

namespace sluice::test::bridge_reference_test {
namespace {

using Wide = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;

struct Case {
    std::string name;
    std::size_t n;
    std::size_t p;
    std::size_t q;
    Balance balance;
    double ridge = 1e-5;
};

class BridgeReference : public testing::TestWithParam<Case> {};

TEST_P(BridgeReference, EqualsTheDenseEigendecomposition) {
    const Case& c = GetParam();
    constexpr Eigen::Index R = 4;
    const Example e = factor_example(c.n, c.p, c.q);
    StreamOptions options = plain_options(R, c.ridge);
    options.balance = c.balance;
    const Fit model = fit(Method::bridge, e.inputs(), e.outputs(), options);

    const Eigen::MatrixXd X = centred(e.X());
    const Eigen::MatrixXd Y = centred(e.Y());
    const Wide C = X.cast<long double>().transpose() * X.cast<long double>();
    const Wide M = X.cast<long double>().transpose() * Y.cast<long double>();
    const bool trace = c.balance == Balance::trace;
    const auto ridge = static_cast<long double>(c.ridge);
    const Wide H =
        ridge / (trace ? C.trace() : 1.0L) * C + (1.0L - ridge) / (trace ? M.squaredNorm() : 1.0L) * M * M.transpose();
    const Eigen::SelfAdjointEigenSolver<Wide> dense(H);
    const Eigen::MatrixXd U = dense.eigenvectors().rightCols(R).rowwise().reverse().cast<double>();
    const Eigen::MatrixXd beta = U * (X * U).colPivHouseholderQr().solve(Y);

    ASSERT_EQ(model.components(), static_cast<std::size_t>(R));
    EXPECT_LT(distance_up_to_signs(as_eigen(model.weights), U), 1e-10);
    EXPECT_LT((as_eigen(model.coefficients) - beta).cwiseAbs().maxCoeff(), 1e-10 * beta.cwiseAbs().maxCoeff());
}

// Both ways of leading.cpp are met: the decomposition, and the iteration where both sides of K exceed 128.
INSTANTIATE_TEST_SUITE_P(AllShapes, BridgeReference,
                         testing::Values(Case{"TallOneOutput", 60, 12, 1, Balance::trace},
                                         Case{"TallThreeOutputs", 60, 12, 3, Balance::trace},
                                         Case{"TallOneOutputRaw", 60, 12, 1, Balance::raw, 0.01},
                                         Case{"TallThreeOutputsRaw", 60, 12, 3, Balance::raw, 0.01},
                                         Case{"WideOneOutput", 20, 45, 1, Balance::trace},
                                         Case{"WideThreeOutputs", 20, 45, 3, Balance::trace},
                                         Case{"WideOneOutputRaw", 20, 45, 1, Balance::raw, 0.01},
                                         Case{"WideThreeOutputsRaw", 20, 45, 3, Balance::raw, 0.01},
                                         Case{"IteratedTallOneOutput", 200, 140, 1, Balance::trace},
                                         Case{"IteratedTallThreeOutputs", 200, 140, 3, Balance::trace},
                                         Case{"IteratedWideOneOutput", 140, 200, 1, Balance::trace},
                                         Case{"IteratedWideThreeOutputsRaw", 140, 200, 3, Balance::raw, 0.01}),
                         [](const testing::TestParamInfo<Case>& c) { return c.param.name; });

}  // namespace
}  // namespace sluice::test::bridge_reference_test
