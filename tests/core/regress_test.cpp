#include "regress.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "sluice/model.hpp"
#include "support/streams.hpp"

namespace sluice::regress_test {
namespace {

// Residuals of all rows under the model's coefficients, weighted as the model weighs them.
struct Residuals {
    std::vector<double> along_scores;  // weighted inner products with each score, relative to their lengths
    std::vector<double> along_inputs;  // and with each selected input
};

Residuals residuals_of(const StreamModel& model, const test::Table& table) {
    const Matrix beta = model.coefficients();
    const auto intercept = model.intercept();
    const auto means = model.input_means();
    const auto deviations = model.input_deviations();
    const std::size_t R = model.components();
    std::vector<double> inner(R, 0.0);
    std::vector<double> score_square(R, 0.0);
    std::vector<double> input_inner(table.p, 0.0);
    std::vector<double> input_square(table.p, 0.0);
    double residual_square = 0.0;
    for (std::size_t t = 0; t < table.rows(); ++t) {
        const double w = std::pow(model.options().forgetting, static_cast<double>(table.rows() - 1 - t));
        double residual = table.y_row(t)[0] - intercept[0];
        for (std::size_t j = 0; j < table.p; ++j) {
            residual -= table.x_row(t)[j] * beta(j, 0);
        }
        residual_square += w * residual * residual;
        for (std::size_t r = 0; r < R; ++r) {
            double score = 0.0;
            for (const std::size_t j : model.selected(r)) {
                const double unit = model.options().scale_inputs ? deviations[j] : 1.0;
                score += model.weights(r)[j] * (table.x_row(t)[j] - means[j]) / unit;
            }
            inner[r] += w * score * residual;
            score_square[r] += w * score * score;
        }
        for (const std::size_t j : model.selected()) {
            input_inner[j] += w * (table.x_row(t)[j] - means[j]) * residual;
            input_square[j] += w * (table.x_row(t)[j] - means[j]) * (table.x_row(t)[j] - means[j]);
        }
    }
    Residuals out;
    for (std::size_t r = 0; r < R; ++r) {
        out.along_scores.push_back(inner[r] / std::sqrt(score_square[r] * residual_square));
    }
    for (const std::size_t j : model.selected()) {
        out.along_inputs.push_back(input_inner[j] / std::sqrt(input_square[j] * residual_square));
    }
    return out;
}

TEST(Regress, ResidualIsOrthogonalToTheFactors) {
    const auto table = test::factor_table(21, 200, 8, 1);
    auto options = StreamOptions::paper();
    options.keep = {3};
    options.components = 3;
    for (const bool scale : {false, true}) {
        options.scale_inputs = scale;
        StreamModel model(8, 1, options);
        model.learn_many(table.all_x(), table.all_y());
        for (const double along : residuals_of(model, table).along_scores) {
            EXPECT_NEAR(along, 0.0, 1e-10);
        }
    }
}

TEST(Regress, RefitWithoutShrinkageIsLeastSquaresOnTheSelectedInputs) {
    const auto table = test::factor_table(22, 200, 8, 1);
    StreamModel model(8, 1, {.components = 2, .keep = {2}, .forgetting = 0.97, .shrinkage = 0.0});
    model.learn_many(table.all_x(), table.all_y());
    ASSERT_EQ(model.selected().size(), 4U);
    for (const double along : residuals_of(model, table).along_inputs) {
        EXPECT_NEAR(along, 0.0, 1e-8);  // the least ridge of 1e-10 stands in the way of more
    }
}

TEST(Regress, ShrinkageCountsAsThatManyRowsWithoutRelation) {
    // One input of unit variance and slope 2 over n rows: beta = 2 n / (n + r).
    StreamModel model(1, 1, {.components = 1, .keep = {1}, .forgetting = 1.0, .shrinkage = 25.0});
    const std::size_t n = 100;
    for (std::size_t t = 0; t < n; ++t) {
        const double x = t % 2 == 0 ? 7.0 : 3.0;
        const double y = 2.0 * x;
        model.learn({&x, 1}, {&y, 1});
    }
    EXPECT_NEAR(model.coefficients()(0, 0), 2.0 * 100.0 / 125.0, 1e-12);
}

TEST(Regress, InstantLoadingsReproduceTheLastRowWhateverTheDirection) {
    // Why `weighted` is the default: eq. (20) fits any last row exactly and so says nothing about the next one.
    const auto table = test::factor_table(23, 50, 8, 1);
    auto options = StreamOptions::paper();
    options.keep = {3};
    options.loadings = Loadings::instant;
    StreamModel model(8, 1, options);
    for (std::size_t t = 0; t < table.rows(); ++t) {
        model.learn(table.x_row(t), table.y_row(t));
        if (t > 1) {
            EXPECT_NEAR(model.predict(table.x_row(t))[0], table.y_row(t)[0], 1e-9);
        }
    }
}

TEST(Regress, LoadingsTimesWeightsAreTheCoefficients) {
    const auto table = test::factor_table(24, 100, 6, 2);
    auto options = StreamOptions::paper();
    options.keep = {3};
    StreamModel model(6, 2, options);
    model.learn_many(table.all_x(), table.all_y());
    const Matrix W = model.loadings();
    const Matrix beta = model.coefficients();
    for (std::size_t k = 0; k < 2; ++k) {
        for (const std::size_t j : model.selected()) {
            const double product = (model.weights(0)[j] * W(0, k)) + (model.weights(1)[j] * W(1, k));
            EXPECT_NEAR(beta(j, k), product, 1e-12 * std::abs(product));
        }
    }
}

}  // namespace
}  // namespace sluice::regress_test
