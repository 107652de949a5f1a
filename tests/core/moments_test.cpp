#include "moments.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "moment_helpers.hpp"
#include "support/streams.hpp"

namespace sluice::core::moments_test {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

const std::vector<unsigned char> kAllObserved(8, 1);

void feed(Moments& moments, const test::Table& table, std::size_t from, std::size_t to) {
    for (std::size_t t = from; t < to; ++t) {
        add_row(moments, table.x_row(t), table.y_row(t), std::span(kAllObserved).first(table.q));
    }
}

double true_input(const Moments& m, std::size_t i, std::size_t j) {
    return m.inputs.scale() *
           m.inputs.units().in_callers_units(i, m.inputs.units().in_callers_units(j, entry(m, i, j)));
}

double true_cross(const Moments& m, std::size_t i, std::size_t k) {
    return m.inputs.scale() *
           m.inputs.units().in_callers_units(i, m.outputs.units().in_callers_units(k, m.inputs.cross(i, k)));
}

struct Plain {
    std::vector<long double> mean_x;
    std::vector<long double> mean_y;
    std::vector<std::vector<long double>> C;
    std::vector<std::vector<long double>> M;
    long double weight = 0.0L;
};

// The weighted sums over all rows, straight from their definition.
Plain plain_moments(const test::Table& table, double forgetting, bool center) {
    Plain out;
    std::vector<long double> w(table.rows());
    long double age = 1.0L;
    for (std::size_t t = table.rows(); t-- > 0; age *= static_cast<long double>(forgetting)) {
        w[t] = age;
        out.weight += age;
    }
    out.mean_x.assign(table.p, 0.0L);
    out.mean_y.assign(table.q, 0.0L);
    for (std::size_t t = 0; t < table.rows(); ++t) {
        for (std::size_t j = 0; j < table.p; ++j) {
            out.mean_x[j] += w[t] * static_cast<long double>(table.x_row(t)[j]) / out.weight;
        }
        for (std::size_t k = 0; k < table.q; ++k) {
            out.mean_y[k] += w[t] * static_cast<long double>(table.y_row(t)[k]) / out.weight;
        }
    }
    out.C.assign(table.p, std::vector<long double>(table.p, 0.0L));
    out.M.assign(table.p, std::vector<long double>(table.q, 0.0L));
    for (std::size_t t = 0; t < table.rows(); ++t) {
        auto x = [&](std::size_t j) {
            return static_cast<long double>(table.x_row(t)[j]) - (center ? out.mean_x[j] : 0.0L);
        };
        auto y = [&](std::size_t k) {
            return static_cast<long double>(table.y_row(t)[k]) - (center ? out.mean_y[k] : 0.0L);
        };
        for (std::size_t i = 0; i < table.p; ++i) {
            for (std::size_t j = 0; j < table.p; ++j) {
                out.C[i][j] += w[t] * x(i) * x(j);
            }
            for (std::size_t k = 0; k < table.q; ++k) {
                out.M[i][k] += w[t] * x(i) * y(k);
            }
        }
    }
    return out;
}

void expect_equal(const Moments& moments, const Plain& plain, double tolerance) {
    const std::size_t p = plain.C.size();
    EXPECT_NEAR(moments.inputs.weight(), static_cast<double>(plain.weight), tolerance * moments.inputs.weight());
    for (std::size_t i = 0; i < p; ++i) {
        for (std::size_t j = 0; j < p; ++j) {
            const auto size = static_cast<double>(std::sqrt(plain.C[i][i] * plain.C[j][j]));
            ASSERT_NEAR(true_input(moments, i, j), static_cast<double>(plain.C[i][j]), tolerance * size);
        }
        for (std::size_t k = 0; k < plain.M[i].size(); ++k) {
            const double size = static_cast<double>(std::sqrt(plain.C[i][i])) *
                                moments.outputs.units().in_callers_units(
                                    k, std::sqrt(moments.outputs.variance(k) * moments.inputs.weight()));
            ASSERT_NEAR(true_cross(moments, i, k), static_cast<double>(plain.M[i][k]), tolerance * size);
        }
    }
}

TEST(Moments, MatchTheWeightedSumOverAllRows) {
    const auto table = test::factor_table(1, 300, 6, 2);
    for (const double forgetting : {0.5, 0.9, 0.99, 1.0}) {
        for (const bool center : {true, false}) {
            Moments moments(6, 2, {.forgetting = forgetting, .center = center});
            feed(moments, table, 0, table.rows());
            expect_equal(moments, plain_moments(table, forgetting, center), 1e-13);
        }
    }
}

TEST(Moments, AMeanAMillionTimesTheDeviationCostsNoDigits) {
    auto table = test::factor_table(2, 200, 3, 1);
    for (double& value : table.x) {
        value = std::round(value * 1e6) / 1e6 + 1e6;  // the sum itself rounds to about 1e-10
    }
    Moments moments(3, 1, {.forgetting = 0.98, .center = true});
    feed(moments, table, 0, table.rows());
    expect_equal(moments, plain_moments(table, 0.98, true), 1e-9);
}

TEST(Moments, AConstantColumnHasNoVarianceToTheBit) {
    Moments moments(2, 1, {.forgetting = 0.97, .center = true});
    NormalSource normal(1);
    for (int t = 0; t < 1000; ++t) {
        const double x[] = {0.1, normal.next()};
        const double y[] = {x[1]};
        add_row(moments, x, y, std::span(kAllObserved).first(1));
    }
    EXPECT_EQ(moments.inputs.square(0), 0.0);
    EXPECT_EQ(entry(moments, 0, 1), 0.0);
}

TEST(Moments, TwoConsecutiveStretchesJoinExactly) {
    const auto table = test::factor_table(3, 400, 5, 2);
    for (const double forgetting : {0.9, 0.98, 1.0}) {
        for (const bool center : {true, false}) {
            for (const std::size_t cut : {0U, 1U, 137U, 399U, 400U}) {
                Moments first(5, 2, {.forgetting = forgetting, .center = center});
                Moments second(5, 2, {.forgetting = forgetting, .center = center});
                feed(first, table, 0, cut);
                feed(second, table, cut, 400);
                first.append(second);
                EXPECT_EQ(first.inputs.rows(), 400U);
                expect_equal(first, plain_moments(table, forgetting, center), 1e-12);
            }
        }
    }
}

TEST(Moments, StretchesInDifferentUnitsJoin) {
    auto table = test::factor_table(4, 100, 3, 1);
    for (std::size_t t = 0; t < 50; ++t) {
        table.x_row(t)[1] *= 0x1p-60;  // so that the two stretches choose different column units
    }
    Moments first(3, 1, {.forgetting = 0.99, .center = true});
    Moments second(3, 1, {.forgetting = 0.99, .center = true});
    feed(first, table, 0, 50);
    feed(second, table, 50, 100);
    first.append(second);
    expect_equal(first, plain_moments(table, 0.99, true), 1e-12);
}

TEST(Moments, AMissingInputCountsAsItsMeanAndLeavesItAlone) {
    Moments moments(1, 1, {.forgetting = 1.0, .center = true});
    for (const double x : {1.0, 3.0, kNaN, kNaN, 8.0}) {
        const double y = 0.0;
        add_row(moments, {&x, 1}, {&y, 1}, std::span(kAllObserved).first(1));
    }
    EXPECT_DOUBLE_EQ(moments.inputs.units().in_callers_units(0, moments.inputs.mean(0)), 4.0);
    EXPECT_DOUBLE_EQ(true_input(moments, 0, 0), 9.0 + 1.0 + 16.0);
    EXPECT_DOUBLE_EQ(moments.inputs.weight(0), 3.0);
    EXPECT_DOUBLE_EQ(moments.inputs.weight(), 5.0);
}

TEST(Moments, AnInputThatAppearsLateStartsAtItsFirstValue) {
    Moments moments(2, 1, {.forgetting = 1.0, .center = true});
    NormalSource normal(5);
    for (int t = 0; t < 2000; ++t) {
        const double x[] = {t < 1000 ? kNaN : 50.0 + normal.next(), normal.next()};
        const double y = x[1];
        add_row(moments, x, {&y, 1}, std::span(kAllObserved).first(1));
    }
    EXPECT_NEAR(moments.inputs.units().in_callers_units(0, moments.inputs.mean(0)), 50.0, 0.2);
    EXPECT_NEAR(moments.inputs.units().in_callers_units(0, std::sqrt(moments.inputs.variance(0))), 1.0, 0.1);
}

TEST(Moments, AnOutputFilledInDoesNotCountForItsVariance) {
    Moments moments(1, 1, {.forgetting = 0.9, .center = true});
    NormalSource normal(6);
    const unsigned char yes = 1;
    const unsigned char no = 0;
    for (int t = 0; t < 200; ++t) {
        const double x = normal.next();
        const double y = 3.0 * normal.next();
        add_row(moments, {&x, 1}, {&y, 1}, {&yes, 1});
    }
    const double before = moments.outputs.variance(0);
    for (int t = 0; t < 10000; ++t) {
        const double x = normal.next();
        const double y = 0.0;
        add_row(moments, {&x, 1}, {&y, 1}, {&no, 1});
    }
    EXPECT_EQ(moments.outputs.variance(0), before);
}

// PERFORMANCE.md: "scalar lazy scaling without renormalisation overflowed after 34,786 rows at 0.98".
TEST(Moments, LazyScalingNeverRunsOutOfExponent) {
    for (const double forgetting : {0.01, 0.5, 0.98}) {
        Moments moments(2, 1, {.forgetting = forgetting, .center = true});
        NormalSource normal(7);
        for (int t = 0; t < 100000; ++t) {
            const double x[] = {normal.next(), normal.next()};
            const double y = x[0];
            add_row(moments, x, {&y, 1}, std::span(kAllObserved).first(1));
        }
        EXPECT_TRUE(std::isfinite(moments.inputs.square(0)));
        EXPECT_GT(moments.inputs.scale(), 1e-30);
        EXPECT_LE(moments.inputs.scale(), 2.0);
    }
}

}  // namespace
}  // namespace sluice::core::moments_test
