// Against numpy (latent_reference.txt), and against the eigenvectors that it must tend to.
#include "ccipca.hpp"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "latent_reference.hpp"
#include "sluice/error.hpp"
#include "sluice/simulate.hpp"
#include "subspace_regression.hpp"

namespace sluice::test {
namespace {

using baselines::Ccipca;
using baselines::SubspaceRegression;

TEST(Ccipca, IsThatOfThePaper) {
    const Table table = reference_table();
    const std::vector<double> as_before(table.p, 1.0);
    for (const double amnesic : {0.0, 2.0}) {
        Ccipca tracker(table.p, {.components = 3, .amnesic = amnesic});
        for (std::size_t t = 0; t < table.rows(); ++t) {
            tracker.add(table.x_row(t), as_before);
        }
        const Matrix& expected = reference(amnesic > 0.0 ? "ccipca_2" : "ccipca_0");
        const Matrix& lengths = reference(amnesic > 0.0 ? "ccipca_2_lengths" : "ccipca_0_lengths");
        for (std::size_t i = 0; i < 3; ++i) {
            for (std::size_t j = 0; j < table.p; ++j) {
                EXPECT_NEAR(tracker.direction(i)[j], expected(i, j), 1e-10);
            }
            EXPECT_NEAR(tracker.eigenvalue(i), lengths(0, i), 1e-10 * lengths(0, i));
        }
    }
}

TEST(Ccipca, TendsToTheEigenvectorsAndEigenvalues) {
    constexpr std::size_t p = 6;
    NormalSource normal(4);
    Ccipca tracker(p, {.components = 3, .amnesic = 2.0});
    const std::vector<double> as_before(p, 1.0);
    Eigen::MatrixXd mix(p, p);
    for (double& value : mix.reshaped()) {
        value = normal.next();
    }
    Eigen::MatrixXd C = Eigen::MatrixXd::Zero(p, p);
    Eigen::VectorXd source(p);
    constexpr int rows = 20000;
    for (int t = 0; t < rows; ++t) {
        double size = 4.0;
        for (double& value : source) {
            value = size * normal.next();
            size /= 2.0;
        }
        const Eigen::VectorXd z = mix * source;
        C += z * z.transpose() / rows;
        tracker.add({z.data(), p}, as_before);
    }
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(C);
    for (std::size_t i = 0; i < 3; ++i) {
        const auto at = static_cast<Eigen::Index>(p - 1 - i);
        const Eigen::Map<const Eigen::VectorXd> w(tracker.direction(i).data(), p);
        // 1 / sqrt(20000) is 0.007; the amnesic average of the last third of the rows has about twice that.
        EXPECT_GT(std::abs(w.dot(eigen.eigenvectors().col(at))), 0.999) << "direction " << i;
        EXPECT_NEAR(tracker.eigenvalue(i) / eigen.eigenvalues()[at], 1.0, 0.05) << "direction " << i;
    }
}

TEST(Ccipca, RowsOfLowerRankGiveFewerDirections) {
    Ccipca tracker(4, {.components = 3});
    const std::vector<double> as_before(4, 1.0);
    for (int t = 1; t <= 20; ++t) {
        const double value = t % 2 == 0 ? t : -t;
        tracker.add(std::vector<double>{value, 0.0, 2.0 * value, 0.0}, as_before);
    }
    EXPECT_NEAR(std::abs(tracker.direction(0)[2]), 2.0 / std::sqrt(5.0), 1e-12);
    for (const double value : tracker.direction(2)) {
        EXPECT_EQ(value, 0.0);
    }
}

TEST(CcipcaRegression, FollowsAnOutputOfTheFirstComponents) {
    NormalSource normal(9);
    constexpr std::size_t p = 20;
    SubspaceRegression<Ccipca> model(p, 1, Ccipca(p, {.components = 2}), {.forgetting = 0.999});
    std::vector<double> x(p);
    double squares = 0.0;
    double errors = 0.0;
    for (int t = 0; t < 2000; ++t) {
        const double one = normal.next();
        const double two = normal.next();
        for (std::size_t j = 0; j < p; ++j) {
            x[j] = 100.0 + (j < 12 ? one : two) + normal.next(0.0, 0.1);
        }
        const std::vector<double> y = {5.0 + (2.0 * one) - (3.0 * two)};
        if (t >= 1000) {
            const double error = y[0] - predicted_by(model, x, 1)[0];
            errors += error * error;
            squares += (y[0] - 5.0) * (y[0] - 5.0);
        }
        model.learn(x, y);
    }
    EXPECT_LT(errors, 0.01 * squares);  // noise of 0.1 in 8 inputs that say the same: 3^2 0.01 / 8 of 13
    const Matrix b = model.coefficients();
    EXPECT_NEAR(b(0, 0), 2.0 / 12.0, 0.02);
    EXPECT_NEAR(b(19, 0), -3.0 / 8.0, 0.02);
}

TEST(Ccipca, MistakesAreRefused) {
    try {
        const Ccipca tracker(3, {.components = 0, .amnesic = std::numeric_limits<double>::quiet_NaN()});
        FAIL() << "accepted";
    } catch (const OptionError& error) {
        EXPECT_EQ(error.problems().size(), 2U);
    }
    EXPECT_NO_THROW(Ccipca(3, {.components = 9, .amnesic = 100.0}));
}

}  // namespace
}  // namespace sluice::test
