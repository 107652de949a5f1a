#include "weighted_moments.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "support/streams.hpp"

namespace sluice::test {
namespace {

using baselines::WeightedMoments;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// Correlation of two columns with weights lambda^age, from all rows, in two passes.
struct Column {
    std::vector<double> values;
    double lambda;

    [[nodiscard]] double weight(std::size_t t) const {
        return std::pow(lambda, static_cast<double>(values.size() - 1 - t));
    }
    [[nodiscard]] double mean() const {
        double sum = 0.0;
        double weights = 0.0;
        for (std::size_t t = 0; t < values.size(); ++t) {
            sum += weight(t) * values[t];
            weights += weight(t);
        }
        return sum / weights;
    }
    [[nodiscard]] double product(const Column& other) const {
        double sum = 0.0;
        for (std::size_t t = 0; t < values.size(); ++t) {
            sum += weight(t) * (values[t] - mean()) * (other.values[t] - other.mean());
        }
        return sum;
    }
    [[nodiscard]] double correlation(const Column& other) const {
        return product(other) / std::sqrt(product(*this) * other.product(other));
    }
};

WeightedMoments moments_of(const Table& table, double lambda) {
    WeightedMoments moments(table.p, table.q, lambda);
    for (std::size_t t = 0; t < table.rows(); ++t) {
        moments.add(table.x_row(t), table.y_row(t));
    }
    return moments;
}

TEST(WeightedMoments, AreTheWeightedSumsOverAllRows) {
    const Table table = factor_table(3, 80, 5, 2);
    const double lambda = 0.93;
    const WeightedMoments moments = moments_of(table, lambda);
    std::vector<Column> columns(7, {.values = {}, .lambda = lambda});
    for (std::size_t t = 0; t < table.rows(); ++t) {
        for (std::size_t j = 0; j < 5; ++j) {
            columns[j].values.push_back(table.x_row(t)[j]);
        }
        for (std::size_t k = 0; k < 2; ++k) {
            columns[5 + k].values.push_back(table.y_row(t)[k]);
        }
    }
    const double close = 1e-12;  // some hundred roundings of numbers near 1
    std::vector<double> R(5);
    std::vector<double> lower(25);
    moments.lower_correlations(lower);
    for (std::size_t j = 0; j < 5; ++j) {
        EXPECT_NEAR(moments.input_mean(j), columns[j].mean(), close);
        const double length = moments.input_unit(j) / moments.input_scale(j);
        EXPECT_NEAR(length * length, columns[j].product(columns[j]), 100.0 * close);
        moments.correlations(j, R);
        for (std::size_t i = 0; i < 5; ++i) {
            EXPECT_NEAR(R[i], columns[i].correlation(columns[j]), close);
            if (i >= j) {
                EXPECT_EQ(lower[(j * 5) + i], R[i]);
            }
        }
    }
    for (std::size_t k = 0; k < 2; ++k) {
        moments.output_correlations(k, R);
        EXPECT_NEAR(moments.output_mean(k), columns[5 + k].mean(), close);
        for (std::size_t i = 0; i < 5; ++i) {
            EXPECT_NEAR(R[i], columns[i].correlation(columns[5 + k]), close);
        }
    }
}

TEST(WeightedMoments, UnitsDoNotChangeCorrelations) {
    Table table = factor_table(4, 60, 4, 1);
    const WeightedMoments plain = moments_of(table, 0.97);
    for (std::size_t t = 0; t < table.rows(); ++t) {
        table.x_row(t)[0] = std::ldexp(table.x_row(t)[0], 480);
        table.x_row(t)[1] = std::ldexp(table.x_row(t)[1], -480);
        table.y_row(t)[0] = std::ldexp(table.y_row(t)[0], 400);
    }
    const WeightedMoments scaled = moments_of(table, 0.97);
    std::vector<double> one(4);
    std::vector<double> other(4);
    for (std::size_t j = 0; j < 4; ++j) {
        plain.correlations(j, one);
        scaled.correlations(j, other);
        EXPECT_EQ(one, other);
    }
    plain.output_correlations(0, one);
    scaled.output_correlations(0, other);
    EXPECT_EQ(one, other);
}

TEST(WeightedMoments, AColumnThatGrowsTakesALargerUnitWithoutALossOfMoments) {
    Table table = factor_table(5, 60, 3, 1);
    for (std::size_t t = 0; t < table.rows(); ++t) {
        table.x_row(t)[1] *= t < 20 ? 1e-60 : 1.0;
        table.y_row(t)[0] *= t < 20 ? 1e-60 : 1.0;
    }
    Table later = table;  // what is 1e-60 counts as 0 beside 1
    for (std::size_t t = 0; t < 20; ++t) {
        later.x_row(t)[1] = 0.0;
        later.y_row(t)[0] = 0.0;
    }
    const WeightedMoments found = moments_of(table, 0.97);
    const WeightedMoments expected = moments_of(later, 0.97);
    std::vector<double> one(3);
    std::vector<double> other(3);
    found.correlations(1, one);
    expected.correlations(1, other);
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_NEAR(one[i], other[i], 1e-13);
    }
    found.output_correlations(0, one);
    expected.output_correlations(0, other);
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_NEAR(one[i], other[i], 1e-13);
    }
}

TEST(WeightedMoments, AConstantColumnHasNoCorrelations) {
    Table table = factor_table(6, 50, 3, 1);
    for (std::size_t t = 0; t < table.rows(); ++t) {
        table.x_row(t)[2] = 0.1;
    }
    const WeightedMoments moments = moments_of(table, 0.9);
    EXPECT_EQ(moments.correlation_square(2), 0.0);
    std::vector<double> R(3);
    moments.correlations(2, R);
    EXPECT_EQ(R, std::vector<double>(3, 0.0));
    moments.output_correlations(0, R);
    EXPECT_EQ(R[2], 0.0);
}

TEST(WeightedMoments, AColumnCountsAsItsFirstValueUntilItIsKnown) {
    Table late = factor_table(7, 50, 3, 1);
    Table held = late;
    for (std::size_t t = 0; t < 10; ++t) {
        late.x_row(t)[1] = nan;
        late.y_row(t)[0] = nan;
        held.x_row(t)[1] = held.x_row(10)[1];
        held.y_row(t)[0] = held.y_row(10)[0];
    }
    const WeightedMoments found = moments_of(late, 0.95);
    const WeightedMoments expected = moments_of(held, 0.95);
    std::vector<double> one(3);
    std::vector<double> other(3);
    found.output_correlations(0, one);
    expected.output_correlations(0, other);
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_NEAR(one[i], other[i], 1e-13);
    }
    EXPECT_NEAR(found.input_mean(1), expected.input_mean(1), 1e-13);
}

TEST(WeightedMoments, WhatIsForgottenBecomesZeroBeforeItIsDenormal) {
    WeightedMoments moments(2, 1, 0.5);
    const std::vector<double> first = {1.0, 1.0};
    const std::vector<double> second = {2.0, 3.0};
    moments.add(first, std::vector{1.0});
    moments.add(second, std::vector{2.0});
    for (int t = 0; t < 1500; ++t) {
        moments.add(std::vector{2.0, 3.0 + (t % 2)}, std::vector{2.0 + (t % 2)});
    }
    EXPECT_EQ(moments.correlation_square(0), 0.0);
    EXPECT_EQ(moments.correlation_square(1), 1.0);
}

}  // namespace
}  // namespace sluice::test
