#include "clipped_inputs.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "model_method.hpp"
#include "recursive_least_squares.hpp"
#include "support/streams.hpp"

namespace sluice::test {
namespace {

using baselines::ClippedInputs;
using baselines::ModelMethod;
using baselines::RecursiveLeastSquares;

std::unique_ptr<baselines::Method> least_squares() {
    return std::make_unique<ModelMethod<RecursiveLeastSquares>>(RecursiveLeastSquares(2, 1, {.forgetting = 1.0}));
}

class ClippedInputsTest : public ::testing::Test {
  protected:
    void SetUp() override {
        NormalSource normal(1);
        for (int t = 0; t < 400; ++t) {
            const std::vector<double> x = {normal.next(10.0, 2.0), normal.next()};
            const double y = x[0] + (3.0 * x[1]);
            clipped.learn(x, {&y, 1});
            plain->learn(x, {&y, 1});
            rows.push_back(x);
        }
    }
    [[nodiscard]] static double predicted(const baselines::Method& method, const std::vector<double>& x) {
        double y = 0.0;
        method.predict(x, {&y, 1});
        return y;
    }

    ClippedInputs clipped{least_squares(), 2, {.clip = 5.0, .forgetting = 1.0}};
    std::unique_ptr<baselines::Method> plain = least_squares();
    std::vector<std::vector<double>> rows;
};

TEST_F(ClippedInputsTest, OrdinaryRowsArePredictedAsWithout) {
    for (const auto& x : rows) {  // 5 deviations are not reached in 400 rows
        EXPECT_NEAR(predicted(clipped, x), predicted(*plain, x), 1e-12);
    }
}

TEST_F(ClippedInputsTest, AnInputFarOutIsMovedToTheBound) {
    double mean = 0.0;
    double square = 0.0;
    for (const auto& x : rows) {
        mean += x[0] / 400.0;
    }
    for (const auto& x : rows) {
        square += (x[0] - mean) * (x[0] - mean) / 400.0;
    }
    EXPECT_NEAR(predicted(clipped, {1e6, 0.0}), mean + (5.0 * std::sqrt(square)), 1e-4);  // regularisation of 1e-6
    EXPECT_NEAR(predicted(clipped, {-1e6, 0.0}), mean - (5.0 * std::sqrt(square)), 1e-4);
}

TEST_F(ClippedInputsTest, AMissingInputStaysMissing) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(predicted(clipped, {nan, rows.back()[1]}), predicted(clipped, rows.back()));
}

TEST_F(ClippedInputsTest, AnInputThatNeverVariedIsMovedToItsValue) {
    ClippedInputs method(least_squares(), 2, {});
    for (int t = 0; t < 50; ++t) {
        const std::vector<double> x = {7.0, static_cast<double>(t % 5)};
        method.learn(x, std::vector{x[1]});
    }
    EXPECT_EQ(predicted(method, {1e9, 2.0}), predicted(method, {7.0, 2.0}));
}

}  // namespace
}  // namespace sluice::test
