// Twenty thousand inputs: each result satisfies its defining equation, within a gigabyte. A p x p matrix would take 3.2.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "batch/example.hpp"

namespace sluice::test::wide_slow_test {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

double most_megabytes_so_far() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) / 1024.0;
}

class Wide : public testing::Test {
  protected:
    static constexpr std::size_t p = 20000;
    static constexpr Index R = 5;
    const Example e = factor_example(500, p, 5);
};

TEST_F(Wide, BridgeWeightsAreEigenvectorsOfH) {
    const Fit model = fit(Method::bridge, e.inputs(), e.outputs(), plain_options(R));
    EXPECT_LT(most_megabytes_so_far(), 1000.0);
    ASSERT_EQ(model.components(), static_cast<std::size_t>(R));
    const MatrixXd X = centred(e.X());
    const MatrixXd M = X.transpose() * centred(e.Y());
    const MatrixXd U = as_eigen(model.weights);
    const MatrixXd HU = 1e-5 / X.squaredNorm() * X.transpose() * (X * U).eval() +
                        (1.0 - 1e-5) / M.squaredNorm() * M * (M.transpose() * U).eval();
    for (Index r = 0; r < R; ++r) {
        const double eigenvalue = U.col(r).dot(HU.col(r));
        // Rounding in this check is 1e-16 of the first eigenvalue, which is below 1; the fifth is about 1e-6.
        EXPECT_LT((HU.col(r) - eigenvalue * U.col(r)).norm(), 1e-14) << "component " << r;
        EXPECT_GT(eigenvalue, 1e-9);
    }
    EXPECT_LT((U.transpose() * U - MatrixXd::Identity(R, R)).norm(), 1e-13);
}

TEST_F(Wide, SparseBridgeKeepsWhatWasAskedFor) {
    StreamOptions options = plain_options(R);
    options.keep = {50};
    for (const Deflation deflation : {Deflation::project, Deflation::refit}) {
        options.deflation = deflation;
        const Fit model = fit(Method::sparse_bridge, e.inputs(), e.outputs(), options);
        ASSERT_EQ(model.components(), static_cast<std::size_t>(R));
        for (const auto& selected : model.selected) {
            EXPECT_EQ(selected.size(), 50U);
        }
    }
    EXPECT_LT(most_megabytes_so_far(), 1000.0);
}

TEST_F(Wide, Pls2ScoresAreOrthogonal) {
    const Fit model = fit(Method::pls2, e.inputs(), e.outputs(), plain_options(R));
    EXPECT_LT(most_megabytes_so_far(), 1000.0);
    const MatrixXd S = as_eigen(model.scores).colwise().normalized();
    EXPECT_LT((S.transpose() * S - MatrixXd::Identity(R, R)).norm(), 1e-10);
}

}  // namespace
}  // namespace sluice::test::wide_slow_test
