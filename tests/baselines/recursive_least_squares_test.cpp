#include "recursive_least_squares.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "sluice/error.hpp"
#include "sluice/simulate.hpp"
#include "support/streams.hpp"

namespace sluice::test::recursive_least_squares_test {
namespace {

using baselines::RecursiveLeastSquares;
using baselines::RecursiveOptions;
using Eigen::Index;
using Wide = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// The weighted sums themselves, in long double. The regularisation is forgotten as the rows are, and row t gives
// delta (1 - lambda^size) back to input t modulo size.
class PlainSums {
  public:
    PlainSums(std::size_t inputs, std::size_t outputs, const RecursiveOptions& options)
        : options_(options), size_(static_cast<Index>(inputs) + (options.intercept ? 1 : 0)) {
        C_ = static_cast<long double>(options.regularisation) * Wide::Identity(size_, size_);
        M_ = Wide::Zero(size_, static_cast<Index>(outputs));
    }

    void learn(std::span<const double> x, std::span<const double> y) {
        const auto lambda = static_cast<long double>(options_.forgetting);
        C_ *= lambda;
        M_ *= lambda;
        const Index turn = rows_++ % size_;
        C_(turn, turn) += static_cast<long double>(options_.regularisation) *
                          (1.0L - std::pow(lambda, static_cast<long double>(size_)));
        Wide row = Wide::Ones(1, size_);
        for (std::size_t j = 0; j < x.size(); ++j) {
            row(0, static_cast<Index>(j)) = static_cast<long double>(x[j]);
        }
        Wide out(1, static_cast<Index>(y.size()));
        for (std::size_t k = 0; k < y.size(); ++k) {
            out(0, static_cast<Index>(k)) = static_cast<long double>(y[k]);
        }
        C_ += row.transpose() * row;
        M_ += row.transpose() * out;
    }

    [[nodiscard]] double distance(const RecursiveLeastSquares& model) const {
        const Wide b = C_.ldlt().solve(M_);
        const Matrix found = model.coefficients();
        long double worst = 0.0L;
        for (Index k = 0; k < b.cols(); ++k) {
            for (Index j = 0; j < static_cast<Index>(model.inputs()); ++j) {
                const auto value = found(static_cast<std::size_t>(j), static_cast<std::size_t>(k));
                worst = std::max(worst, std::abs(b(j, k) - static_cast<long double>(value)));
            }
            if (options_.intercept) {
                const auto value = static_cast<long double>(model.intercept()[static_cast<std::size_t>(k)]);
                worst = std::max(worst, std::abs(b(size_ - 1, k) - value));
            }
        }
        return static_cast<double>(worst);
    }

  private:
    RecursiveOptions options_;
    Index size_;
    Index rows_ = 0;
    Wide C_;
    Wide M_;
};

TEST(RecursiveLeastSquares, AgreesWithWeightedLeastSquaresInLongDouble) {
    const Table table = factor_table(3, 600, 6, 2);
    for (const double forgetting : {0.9, 0.99, 1.0}) {
        for (const bool intercept : {false, true}) {
            const RecursiveOptions options{.forgetting = forgetting, .regularisation = 1e-3, .intercept = intercept};
            RecursiveLeastSquares model(6, 2, options);
            PlainSums plain(6, 2, options);
            for (std::size_t t = 0; t < table.rows(); ++t) {
                model.learn(table.x_row(t), table.y_row(t));
                plain.learn(table.x_row(t), table.y_row(t));
                ASSERT_LT(plain.distance(model), 1e-9) << "row " << t << ", forgetting " << forgetting;
            }
        }
    }
}

// An input of 1e3 that falls silent at row 1,000, two that nearly agree, one that is always zero: a million rows.
void million_rows(double forgetting, double tolerance) {
    constexpr std::size_t p = 5;
    const RecursiveOptions options{.forgetting = forgetting, .regularisation = 1e-6, .intercept = true};
    RecursiveLeastSquares model(p, 1, options);
    PlainSums plain(p, 1, options);
    NormalSource normal(11);
    std::vector<double> x(p);
    double y = 0.0;
    double largest = 0.0;
    for (int t = 0; t < 1'000'000; ++t) {
        x[0] = t < 1000 ? 1e3 * normal.next() : 0.0;
        x[1] = normal.next(5.0);
        x[2] = x[1] + (1e-2 * normal.next());
        x[3] = 0.0;
        x[4] = normal.next();
        y = (2e-3 * x[0]) + x[1] - x[2] + (0.5 * x[4]) + 3.0 + (0.1 * normal.next());
        model.learn(x, {&y, 1});
        plain.learn(x, {&y, 1});
        if (t % 1000 == 999) {
            const Matrix b = model.coefficients();
            for (const double value : b.column(0)) {
                ASSERT_TRUE(std::isfinite(value)) << "row " << t;
                largest = std::max(largest, std::abs(value));
            }
            if (t % 100'000 == 99'999) {
                ASSERT_LT(plain.distance(model), tolerance) << "row " << t;
            }
        }
    }
    EXPECT_LT(largest, 20.0);  // the two that nearly agree: deviations of some 1.4 with 100 rows remembered
    EXPECT_EQ(model.coefficients()(3, 0), 0.0);
    if (forgetting < 1.0) {
        EXPECT_LT(std::abs(model.coefficients()(0, 0)), 1e-12);  // faded
    } else {
        EXPECT_NEAR(model.coefficients()(0, 0), 2e-3, 1e-4);  // remembered
    }
}

TEST(RecursiveLeastSquares, StaysExactOverAMillionRowsWithForgetting) {
    million_rows(0.99, 1e-10);  // measured: 7e-12, both ways
}

TEST(RecursiveLeastSquares, StaysExactOverAMillionRowsWithoutForgetting) {
    million_rows(1.0, 1e-10);
}

TEST(RecursiveLeastSquares, PredictsWithItsCoefficients) {
    const Table table = factor_table(4, 100, 4, 2);
    RecursiveLeastSquares model(4, 2);
    EXPECT_EQ(model.predict(table.x_row(0)), std::vector<double>(2, 0.0));
    for (std::size_t t = 0; t < table.rows(); ++t) {
        model.learn(table.x_row(t), table.y_row(t));
    }
    EXPECT_EQ(model.rows_learned(), 100U);
    const auto predicted = model.predict(table.x_row(7));
    const Matrix b = model.coefficients();
    for (std::size_t k = 0; k < 2; ++k) {
        double sum = model.intercept()[k];
        for (std::size_t j = 0; j < 4; ++j) {
            sum += table.x_row(7)[j] * b(j, k);
        }
        EXPECT_NEAR(predicted[k], sum, 1e-12);
        EXPECT_NEAR(predicted[k], table.y_row(7)[k], 1.0);  // the noise is 0.1
    }
}

TEST(RecursiveLeastSquares, GapsAreDefined) {
    const Table table = factor_table(5, 200, 4, 2);
    RecursiveLeastSquares model(4, 2);
    RecursiveLeastSquares filled(4, 2);
    for (std::size_t t = 0; t < table.rows(); ++t) {
        std::vector<double> x(table.x_row(t).begin(), table.x_row(t).end());
        std::vector<double> y(table.y_row(t).begin(), table.y_row(t).end());
        std::vector<double> x_filled = x;
        std::vector<double> y_filled = y;
        if (t % 3 == 1) {
            x[2] = nan;
            x_filled[2] = table.x_row(t - 1)[2];
        }
        if (t % 5 == 0) {
            y[1] = nan;
            y_filled[1] = filled.predict(x_filled)[1];
        }
        ASSERT_EQ(model.predict(x), filled.predict(x_filled));
        model.learn(x, y);
        filled.learn(x_filled, y_filled);
    }
    EXPECT_EQ(model.coefficients(), filled.coefficients());
    const std::vector<double> none = {nan, nan};
    model.learn(table.x_row(0), none);
    EXPECT_EQ(model.coefficients(), filled.coefficients());
    EXPECT_EQ(model.rows_learned(), 200U);
}

TEST(RecursiveLeastSquares, HugeAndTinyInputsStayFinite) {
    for (const double scale : {1e-150, 1e-20, 1e20, 1e149}) {
        const Table table = factor_table(6, 300, 3, 1);
        RecursiveLeastSquares model(3, 1, {.forgetting = 0.95});
        for (std::size_t t = 0; t < table.rows(); ++t) {
            std::vector<double> x(table.x_row(t).begin(), table.x_row(t).end());
            std::ranges::transform(x, x.begin(), [=](double a) { return a * scale; });
            model.learn(x, table.y_row(t));
            ASSERT_TRUE(std::isfinite(model.predict(x)[0])) << "scale " << scale;
        }
    }
}

TEST(RecursiveLeastSquares, MistakesAreRefusedAndChangeNothing) {
    EXPECT_THROW(RecursiveLeastSquares(2, 1, {.forgetting = 0.0}), OptionError);
    EXPECT_THROW(RecursiveLeastSquares(2, 1, {.forgetting = nan}), OptionError);
    try {
        const RecursiveLeastSquares model(2, 1, {.forgetting = 1.5, .regularisation = 0.0});
        FAIL() << "taken in";
    } catch (const OptionError& error) {
        EXPECT_EQ(error.problems().size(), 2U);
    }
    RecursiveLeastSquares model(2, 1);
    const std::vector<double> x = {1.0, 2.0};
    const std::vector<double> y = {1.0};
    model.learn(x, y);
    const Matrix before = model.coefficients();
    EXPECT_THROW(model.learn(std::span(x).first(1), y), DataError);
    EXPECT_THROW(model.learn(x, x), DataError);
    EXPECT_THROW(model.learn(std::vector{1.0, std::numeric_limits<double>::infinity()}, y), DataError);
    EXPECT_EQ(model.coefficients(), before);
}

}  // namespace
}  // namespace sluice::test::recursive_least_squares_test
