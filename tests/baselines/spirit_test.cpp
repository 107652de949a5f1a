// Against numpy (latent_reference.txt), which follows the paper row by row, and against what the energy rule promises.
#include "spirit.hpp"

#include <gtest/gtest.h>

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

using baselines::Spirit;
using baselines::SubspaceRegression;

double inner(std::span<const double> one, std::span<const double> other) {
    return std::inner_product(one.begin(), one.end(), other.begin(), 0.0);
}

TEST(Spirit, IsThatOfThePaperRowByRow) {
    const Table table = reference_table();
    const std::vector<double> as_before(table.p, 1.0);
    Spirit tracker(table.p, {.forgetting = 0.96, .low = 0.9, .high = 0.95, .most = 5, .wait = 4});
    for (std::size_t t = 0; t < table.rows(); ++t) {
        tracker.add(table.x_row(t), as_before);
        EXPECT_EQ(static_cast<double>(tracker.hidden()), reference("spirit_number")(0, t)) << "row " << t;
        EXPECT_NEAR(tracker.kept_energy(), reference("spirit_energy")(0, t), 1e-9) << "row " << t;
    }
    const Matrix& expected = reference("spirit_weights");
    for (std::size_t i = 0; i < expected.rows(); ++i) {
        for (std::size_t j = 0; j < table.p; ++j) {
            EXPECT_NEAR(tracker.direction(i)[j], expected(i, j), 1e-9);
        }
    }
}

// A stream of `factors` hidden variables in 12 inputs; row t of it.
std::vector<double> row_of(NormalSource& normal, std::size_t factors) {
    std::vector<double> z(12, 0.0);
    for (std::size_t f = 0; f < factors; ++f) {
        const double value = normal.next();
        for (std::size_t j = f; j < z.size(); j += 3) {
            z[j] += value;
        }
    }
    for (double& value : z) {
        value += normal.next(0.0, 0.05);
    }
    return z;
}

TEST(Spirit, FollowsTheNumberOfHiddenVariablesAndKeepsTheEnergy) {
    NormalSource normal(5);
    const std::vector<double> as_before(12, 1.0);
    Spirit tracker(12, {.forgetting = 0.98, .low = 0.95, .high = 0.98, .most = 12, .wait = 10});
    for (const std::size_t factors : {1U, 3U, 2U}) {
        for (int t = 0; t < 600; ++t) {
            tracker.add(row_of(normal, factors), as_before);
            if (t >= 400) {  // above the lower bound, and no hidden variable can be spared
                EXPECT_GT(tracker.kept_energy(), 0.95) << factors << " factors, row " << t;
                EXPECT_EQ(tracker.hidden(), factors) << "row " << t;
            }
        }
    }
}

TEST(Spirit, DirectionsStayOrthonormal) {
    NormalSource normal(6);
    const std::vector<double> as_before(12, 1.0);
    Spirit tracker(12, {.most = 6});
    for (int t = 0; t < 3000; ++t) {
        tracker.add(row_of(normal, 3), as_before);
    }
    ASSERT_GE(tracker.hidden(), 3U);
    for (std::size_t i = 0; i < tracker.hidden(); ++i) {
        for (std::size_t l = 0; l <= i; ++l) {
            EXPECT_NEAR(inner(tracker.direction(i), tracker.direction(l)), i == l ? 1.0 : 0.0, 1e-12);
        }
    }
}

TEST(Spirit, HasAtMostTheNumberAsked) {
    NormalSource normal(7);
    const std::vector<double> as_before(12, 1.0);
    Spirit tracker(12, {.most = 2, .wait = 0});
    for (int t = 0; t < 300; ++t) {
        tracker.add(row_of(normal, 3), as_before);
        EXPECT_LE(tracker.hidden(), 2U);
    }
    EXPECT_LT(tracker.kept_energy(), 0.95);  // the bound cannot be kept
}

TEST(SpiritRegression, FollowsAnOutputOfTheHiddenVariables) {
    NormalSource normal(8);
    SubspaceRegression<Spirit> model(12, 1, Spirit(12), {.forgetting = 0.99});
    double squares = 0.0;
    double errors = 0.0;
    for (int t = 0; t < 1500; ++t) {
        const double one = normal.next();
        const double two = normal.next();
        std::vector<double> x(12);
        for (std::size_t j = 0; j < 12; ++j) {  // unequal energies: directions of equal ones turn freely
            x[j] = 3e7 + (1e6 * ((j < 8 ? one : two) + normal.next(0.0, 0.05)));
        }
        const std::vector<double> y = {7.0 + one - (2.0 * two)};
        if (t >= 500) {
            const double error = y[0] - predicted_by(model, x, 1)[0];
            errors += error * error;
            squares += (y[0] - 7.0) * (y[0] - 7.0);
        }
        model.learn(x, y);
    }
    // The output is exact in the two directions; tracking them with a memory of 50 rows costs some percent.
    EXPECT_LT(errors, 0.05 * squares);
}

TEST(Spirit, MistakesAreRefused) {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    try {
        const Spirit tracker(3, {.forgetting = nan, .low = nan, .high = 1.0, .most = 0});
        FAIL() << "accepted";
    } catch (const OptionError& error) {
        EXPECT_EQ(error.problems().size(), 4U);
    }
    EXPECT_THROW(Spirit(3, {.low = 0.98, .high = 0.95}), OptionError);
    EXPECT_NO_THROW(Spirit(3, {.forgetting = 1.0, .low = 0.9, .high = 0.9, .most = 1, .wait = 0}));
}

}  // namespace
}  // namespace sluice::test
