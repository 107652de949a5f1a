// PLS-2 against scikit-learn and R.
//
//   data       n = 15, p = 6, q = 1 or 3; with i, j, k counted from 1
//              x_ij = ((7 i^2 + 11 i j + 5 j^3 + 3 j) mod 29) / 10
//              y_ik = x_ik - x_i(k+3) / 2 + ((3 i^2 + 5 i k + k) mod 11) / 10
//   settings   three components, centred, not scaled
//   values     scikit-learn 1.2.1, PLSRegression(n_components=3, scale=False, tol=1e-31)   pls2_sklearn.py
//              R 4.2.2, pls 2.8.1, plsr(ncomp = 3, method = "kernelpls")                   pls2_r.R
//   tolerance  1e-8: the two agree with each other to 1e-15, the data has one decimal
#include <gtest/gtest.h>

#include <vector>

#include "batch/example.hpp"

namespace sluice::test::pls2_reference_test {
namespace {

Example reference_data(std::size_t q) {
    constexpr std::size_t n = 15;
    constexpr std::size_t p = 6;
    Example e{.p = p, .q = q, .x = std::vector<double>(n * p), .y = std::vector<double>(n * q)};
    for (std::size_t i = 1; i <= n; ++i) {
        for (std::size_t j = 1; j <= p; ++j) {
            e.input(i - 1, j - 1) =
                static_cast<double>(((7 * i * i) + (11 * i * j) + (5 * j * j * j) + (3 * j)) % 29) / 10;
        }
        for (std::size_t k = 1; k <= q; ++k) {
            e.output(i - 1, k - 1) = e.input(i - 1, k - 1) - (0.5 * e.input(i - 1, k + 2)) +
                                     (static_cast<double>(((3 * i * i) + (5 * i * k) + k) % 11) / 10);
        }
    }
    return e;
}

using Table = std::vector<std::vector<double>>;  // coefficients by input, then the intercepts

void expect_equal(const Fit& fit, const Table& expected) {
    ASSERT_EQ(fit.components(), 3U);
    for (std::size_t k = 0; k < fit.intercept.size(); ++k) {
        for (std::size_t j = 0; j < 6; ++j) {
            EXPECT_NEAR(fit.coefficients(j, k), expected[j][k], 1e-8) << "input " << j << ", output " << k;
        }
        EXPECT_NEAR(fit.intercept[k], expected[6][k], 1e-8) << "output " << k;
    }
}

const Table sklearn_one = {{1.1358931595045227},   {0.074772533142500236},  {-0.20659376079548517},
                           {-0.53983139752560205}, {-0.066658362741677163}, {0.16435812000995292},
                           {0.45745228773771351}};
const Table r_one = {{1.1358931595045225},   {0.074772533142500111}, {-0.20659376079548508}, {-0.53983139752560216},
                     {-0.06665836274167701}, {0.16435812000995287},  {0.45745228773771396}};
const Table sklearn_three = {
    {1.0788987491835662, 0.2466633526170004, -0.0066137330166844421},
    {0.15359996718558425, 0.80290083018945035, 0.19397429015278961},
    {-0.21333851938941667, 0.32188721803964915, 0.35531563829261981},
    {-0.60345029862785138, 0.095253262692691174, -0.24540624785225634},
    {-0.04663306185114334, -0.6256273146743595, -0.13731267346952875},
    {0.18316741060800268, -0.0044203215266467727, -0.44629949357640014},
    {0.46789607839479674, -0.028855593874196228, 1.6247128824363988},
};
const Table r_three = {
    {1.0788987491835658, 0.24666335261700059, -0.0066137330166841091},
    {0.15359996718558419, 0.80290083018945024, 0.19397429015278961},
    {-0.21333851938941639, 0.32188721803964904, 0.35531563829261953},
    {-0.60345029862785127, 0.095253262692691174, -0.24540624785225618},
    {-0.046633061851143368, -0.62562731467435961, -0.13731267346952888},
    {0.18316741060800232, -0.0044203215266466617, -0.44629949357639986},
    {0.46789607839479697, -0.028855593874196006, 1.6247128824363992},
};

TEST(Pls2Reference, OneOutputEqualsScikitLearnAndR) {
    const Example e = reference_data(1);
    const Fit model = fit(Method::pls2, e.inputs(), e.outputs(), plain_options(3));
    expect_equal(model, sklearn_one);
    expect_equal(model, r_one);
}

TEST(Pls2Reference, ThreeOutputsEqualScikitLearnAndR) {
    const Example e = reference_data(3);
    const Fit model = fit(Method::pls2, e.inputs(), e.outputs(), plain_options(3));
    expect_equal(model, sklearn_three);
    expect_equal(model, r_three);
}

}  // namespace
}  // namespace sluice::test::pls2_reference_test
