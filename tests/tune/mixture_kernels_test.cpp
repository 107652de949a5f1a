// The loops over all readings, beside Eigen and plain sums.
#include "mixture_kernels.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/LU>
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "factor_kernels.hpp"
#include "path_kernels.hpp"

namespace sluice::tune::mixture_kernels_test {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

MatrixXd random_matrix(Index rows, Index columns, std::mt19937_64& bits) {
    std::normal_distribution<double> normal;
    return MatrixXd::NullaryExpr(rows, columns, [&] { return normal(bits); });
}

// Correlations: a unit diagonal. rows: below `size` of them it is singular.
MatrixXd correlations(Index size, Index rows, std::mt19937_64& bits) {
    MatrixXd x = random_matrix(rows, size, bits);
    x.colwise().normalize();
    return x.transpose() * x;
}

TEST(MixtureKernels, FourFactorsAtOnceAreThoseOfCholesky) {
    std::mt19937_64 bits(1);
    const std::vector<double> ridges = {1e-9, 0.01, 1.0, 30.0};
    for (const Index size : {1, 2, 3, 4, 5, 7, 8, 13, 20, 50}) {
        const Rows A = correlations(size, 3 * size, bits);
        const VectorXd given = random_matrix(size, 1, bits);
        Rows with_one_more(size + 1, size);
        with_one_more << A, given.transpose();
        std::vector<double> L(kernels::kFactorRow * static_cast<std::size_t>(size + 1), 0.0);
        kernels::factor_four(with_one_more.data(), static_cast<std::size_t>(size), 1, ridges.data(), L.data());
        std::vector<double> x(static_cast<std::size_t>(4 * size));
        for (Index i = 0; i < 4 * size; ++i) {
            x[static_cast<std::size_t>(i)] = given(i / 4);
        }
        kernels::forward_four(L.data(), static_cast<std::size_t>(size), x.data());
        for (Index r = 0; r < 4; ++r) {
            const double ridge = ridges[static_cast<std::size_t>(r)];
            const MatrixXd expected = (A + (ridge * MatrixXd::Identity(size, size))).llt().matrixL();
            const VectorXd solved = expected.triangularView<Eigen::Lower>().solve(given);
            for (Index i = 0; i < size; ++i) {
                for (Index j = 0; j <= i; ++j) {
                    const double entry =
                        L[(static_cast<std::size_t>(i) * kernels::kFactorRow) + static_cast<std::size_t>((4 * j) + r)];
                    // The condition of 3 n rows of n columns is some tens; of the inverse of the diagonal likewise.
                    ASSERT_NEAR(i == j ? 1.0 / entry : entry, expected(i, j), 1e-11) << size << " " << r;
                }
                const auto place = static_cast<std::size_t>((4 * i) + r);
                ASSERT_NEAR(x[place], solved(i), 1e-9 * (1.0 + solved.norm()));
                // The further row of A, by the same operations.
                ASSERT_EQ(L[(static_cast<std::size_t>(size) * kernels::kFactorRow) + place], x[place]);
            }
        }
    }
}

TEST(MixtureKernels, FactorsOfCopiesOfOneVariableAreFinite) {
    constexpr std::size_t kSize = 9;
    const std::vector<double> A(kSize * kSize, 1.0);
    const std::vector<double> ridges = {1e-9, 1e-9, 1e-3, 1.0};
    std::vector<double> L(kernels::kFactorRow * kSize, 0.0);
    kernels::factor_four(A.data(), kSize, 0, ridges.data(), L.data());
    std::vector<double> x(4 * kSize, 1.0);
    kernels::forward_four(L.data(), kSize, x.data());
    for (const double value : x) {
        EXPECT_TRUE(std::isfinite(value));
    }
}

// [ A m; m' 0 ] with all variables exchanged: [ P B; -B' -m'P m ].
TEST(MixtureKernels, ExchangingAllVariablesGivesTheInverseAndTheCoefficients) {
    std::mt19937_64 bits(2);
    for (const Index size : {1, 3, 6, 11, 18, 45}) {
        for (const Index outputs : {1, 3}) {
            const Index n = size + outputs;
            const Index stride = (n + 7) / 8 * 8;
            const MatrixXd C = correlations(size, 3 * size, bits);
            const VectorXd d = random_matrix(size, 1, bits).cwiseAbs() + VectorXd::Constant(size, 0.5);
            const Rows stored = d.cwiseInverse().asDiagonal() * C * d.cwiseInverse().asDiagonal();
            const MatrixXd A = C + (0.1 * MatrixXd::Identity(size, size));
            const MatrixXd m = random_matrix(size, outputs, bits);
            Rows T = Rows::Constant(n, stride, 7.0);
            kernels::scale_block(stored.data(), d.data(), static_cast<std::size_t>(size),
                                 static_cast<std::size_t>(stride), T.data());
            EXPECT_NEAR((T.topLeftCorner(size, size) - C).norm(), 0.0, 1e-14 * static_cast<double>(size));
            EXPECT_EQ(T.block(0, size, size, stride - size).norm(), 0.0);
            T.topLeftCorner(size, size) = A;
            T.block(0, size, size, outputs) = m;
            kernels::exchange_all(T.data(), static_cast<std::size_t>(size), static_cast<std::size_t>(n),
                                  static_cast<std::size_t>(stride), 1e-12);
            const MatrixXd P = A.inverse();
            const MatrixXd B = P * m;
            // The condition of A is below 100.
            EXPECT_NEAR((T.topLeftCorner(size, size) - P).norm(), 0.0, 1e-11 * P.norm());
            EXPECT_NEAR((T.block(0, size, size, outputs) - B).norm(), 0.0, 1e-11 * (1.0 + B.norm()));
        }
    }
}

TEST(MixtureKernels, APivotBelowTheLeastCountsAsThat) {
    std::vector<double> T = {1e-20, 3.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    kernels::exchange_all(T.data(), 1, 2, 8, 0.25);
    EXPECT_EQ(T[0], 4.0);
    EXPECT_EQ(T[1], 12.0);
}

// Two tables, each the fit of another matrix: losses by least squares without each variable in turn.
TEST(MixtureKernels, EliminationTakesOutTheVariableWithTheLeastLossOfTheFitsThatAreLeft) {
    std::mt19937_64 bits(11);
    for (const Index size : {1, 2, 7, 9, 18}) {
        for (const Index outputs : {1, 2}) {
            const auto stride = static_cast<std::size_t>((size + outputs + 7) / 8 * 8);
            const auto apart = static_cast<std::size_t>((size + 7) / 8 * 8);
            const std::vector<double> weights = {0.7, 0.3};
            std::vector<MatrixXd> As;
            std::vector<MatrixXd> ms;
            std::vector<std::vector<double>> tables;
            std::vector<std::vector<double>> numbers;
            for (std::size_t b = 0; b < weights.size(); ++b) {
                As.push_back(correlations(size, 3 * size, bits) + (0.1 * MatrixXd::Identity(size, size)));
                ms.push_back(random_matrix(size, outputs, bits));
                std::vector<double> T(static_cast<std::size_t>(size) * stride, 0.0);
                for (Index i = 0; i < size; ++i) {
                    double* row = T.data() + (static_cast<std::size_t>(i) * stride);
                    for (Index j = 0; j < size; ++j) {
                        row[j] = As[b](i, j);
                    }
                    for (Index k = 0; k < outputs; ++k) {
                        row[size + k] = ms[b](i, k);
                    }
                }
                kernels::exchange_all(T.data(), static_cast<std::size_t>(size),
                                      static_cast<std::size_t>(size + outputs), stride, 1e-12);
                tables.push_back(T);
                numbers.emplace_back(static_cast<std::size_t>(1 + outputs) * apart, 0.0);
            }
            std::vector<kernels::LossParts> parts;
            for (std::size_t b = 0; b < weights.size(); ++b) {
                parts.push_back({.T = tables[b].data(),
                                 .stride = stride,
                                 .pivots = numbers[b].data(),
                                 .crosses = numbers[b].data() + apart,
                                 .apart = apart,
                                 .outputs = static_cast<std::size_t>(outputs),
                                 .weight = weights[b]});
            }
            std::vector<double> hold(apart, 1.0);
            hold[0] = 2.0;
            const kernels::LossRule rule{
                .size = static_cast<std::size_t>(size), .least = 1e-12, .alike = 1.0 + 1e-9, .hold = hold.data()};
            std::vector<double> losses(static_cast<std::size_t>(size + 1) * apart, -1.0);
            std::vector<double> held(apart);
            std::vector<std::size_t> order(static_cast<std::size_t>(size));
            const auto least = kernels::least_loss(parts, rule, losses.data(), held.data());
            kernels::eliminate(parts, rule, order.data(), losses.data(), held.data());
            EXPECT_EQ(least.place, order[0]);
            std::vector<Index> left;
            for (Index i = 0; i < size; ++i) {
                left.push_back(i);
            }
            const auto explained = [&](const std::vector<Index>& among) {  // m'A^-1 m of all tables
                double sum = 0.0;
                for (std::size_t b = 0; b < weights.size(); ++b) {
                    const MatrixXd A = As[b](among, among);
                    const MatrixXd m = ms[b](among, Eigen::all);
                    sum += weights[b] * (m.transpose() * A.llt().solve(m)).trace();
                }
                return sum;
            };
            for (const std::size_t out : order) {
                const double all = explained(left);
                double lowest = 1e300;
                Index expected = -1;
                for (const Index i : left) {
                    std::vector<Index> others = left;
                    std::erase(others, i);
                    const double loss = all - (others.empty() ? 0.0 : explained(others));
                    const double found = losses[(left.size() * apart) + static_cast<std::size_t>(i)];
                    // Differences of sums of some size^2 numbers near 1; the condition is below 100.
                    ASSERT_NEAR(found, loss, 1e-10 * (1.0 + all)) << size << " " << left.size();
                    const double with_hold = loss * hold[static_cast<std::size_t>(i)];
                    if (with_hold < lowest) {
                        lowest = with_hold;
                        expected = i;
                    }
                }
                ASSERT_EQ(out, static_cast<std::size_t>(expected));
                std::erase(left, expected);
            }
        }
    }
}

TEST(MixtureKernels, OfLossesThatAreAlikeTheFirstIsTaken) {
    constexpr std::size_t kSize = 4;
    std::vector<double> T(kSize * 8, 0.0);
    for (std::size_t i = 0; i < kSize; ++i) {
        T[(8 * i) + i] = 1.0;
        T[(8 * i) + kSize] = i == 0 ? 2.0 : 1.0 - (1e-12 * static_cast<double>(i));
    }
    std::vector<double> pivots(8);
    std::vector<double> crosses(8);
    const std::vector<kernels::LossParts> parts = {{.T = T.data(),
                                                    .stride = 8,
                                                    .pivots = pivots.data(),
                                                    .crosses = crosses.data(),
                                                    .apart = 8,
                                                    .outputs = 1,
                                                    .weight = 1.0}};
    const std::vector<double> hold(8, 1.0);
    std::vector<double> losses((kSize + 1) * 8);
    std::vector<double> held(8);
    std::vector<std::size_t> order(kSize);
    kernels::eliminate(parts, {.size = kSize, .least = 1e-12, .alike = 1.0 + 1e-9, .hold = hold.data()}, order.data(),
                       losses.data(), held.data());
    EXPECT_EQ(order, (std::vector<std::size_t>{1, 2, 3, 0}));
}

TEST(MixtureKernels, WhatIsLeftOfCovariancesIsSquaredAndDividedByTheVariance) {
    constexpr std::size_t kInputs = 24;
    std::mt19937_64 bits(12);
    std::normal_distribution<double> normal;
    std::vector<double> cross(2 * kInputs);
    std::vector<double> explained(2 * kInputs);
    std::vector<double> of_inputs(kInputs);
    for (std::size_t j = 0; j < kInputs; ++j) {
        of_inputs[j] = j % 5 == 0 ? 0.0 : 1.0 + std::abs(normal(bits));
        for (std::size_t k = 0; k < 2; ++k) {
            cross[(k * kInputs) + j] = normal(bits);
            explained[(k * kInputs) + j] = normal(bits);
        }
    }
    std::vector<double> squares(kInputs, 9.0);
    std::vector<double> most(kInputs / 8);
    for (std::size_t k = 0; k < 2; ++k) {
        kernels::add_squares_left({.cross = cross.data() + (k * kInputs),
                                   .unit = 0.5,
                                   .times = 3.0,
                                   .explained = explained.data() + (k * kInputs)},
                                  kInputs, k == 0, squares.data());
    }
    kernels::divide_squares_left(of_inputs.data(), kInputs, squares.data(), most.data());
    for (std::size_t block = 0; block < kInputs / 8; ++block) {
        double largest = 0.0;
        for (std::size_t j = 8 * block; j < 8 * (block + 1); ++j) {
            double expected = 0.0;
            for (std::size_t k = 0; k < 2; ++k) {
                const double left = (cross[(k * kInputs) + j] * 0.5 * 3.0) - explained[(k * kInputs) + j];
                expected += left * left;
            }
            expected = of_inputs[j] > 0.0 ? expected / of_inputs[j] : 0.0;
            EXPECT_EQ(squares[j], expected);
            largest = std::max(largest, expected);
        }
        EXPECT_EQ(most[block], largest);
    }
}

TEST(MixtureKernels, PredictionsOfFourShrinkagesAreSumsWithinTheirBounds) {
    constexpr std::size_t kSize = 6;
    const std::vector<std::size_t> sizes = {0, 1, 3, 6, 10, 20};
    std::mt19937_64 bits(13);
    std::normal_distribution<double> normal;
    std::vector<double> v(4 * kSize);
    std::vector<double> z(4 * kSize);
    for (std::size_t i = 0; i < v.size(); ++i) {
        v[i] = normal(bits);
        z[i] = normal(bits);
    }
    for (const double unit : {0.0, 0.5}) {
        for (const bool bounds : {false, true}) {
            const kernels::PathOutput output{.mean = 0.25,
                                             .unit = unit,
                                             .scale = 2.0,
                                             .most = 3.0,
                                             .low = bounds ? -1.0 : 0.0,
                                             .high = bounds ? 0.75 : 0.0};
            std::vector<double> out(4 * sizes.size());
            kernels::predict_four(v.data(), z.data(), kSize, sizes, output, out.data());
            for (std::size_t s = 0; s < sizes.size(); ++s) {
                for (std::size_t r = 0; r < 4; ++r) {
                    double sum = 0.0;
                    for (std::size_t i = 0; i < std::min(sizes[s], kSize); ++i) {
                        sum += v[(4 * i) + r] * z[(4 * i) + r];
                    }
                    const double value = (0.25 + (unit > 0.0 ? sum / unit : 0.0)) * 2.0;
                    const double expected = std::clamp(value, bounds ? -1.0 : -3.0, bounds ? 0.75 : 3.0);
                    EXPECT_EQ(out[(4 * s) + r], expected) << s << " " << r;
                }
            }
        }
    }
    v[0] = std::numeric_limits<double>::quiet_NaN();
    std::vector<double> out(4 * sizes.size());
    kernels::predict_four(v.data(), z.data(), kSize, sizes,
                          {.mean = 0.0, .unit = 1.0, .scale = 1.0, .most = 3.0, .low = 0.0, .high = 0.0}, out.data());
    EXPECT_EQ(out[4], 3.0);  // a number that is none
}

TEST(MixtureKernels, SmallSearchesAndSumsAreThoseOfPlainLoops) {
    constexpr std::size_t kStride = 16;
    constexpr std::size_t kReadings = 3;
    std::mt19937_64 bits(14);
    std::uniform_real_distribution<double> uniform(0.0, 1.0);
    for (int round = 0; round < 50; ++round) {
        std::vector<double> a(kReadings * kStride);
        std::vector<double> b(a.size());
        for (std::size_t i = 0; i < a.size(); ++i) {
            a[i] = std::floor(20.0 * uniform(bits)) - (i % kStride >= 11 ? 100.0 : 0.0);  // beyond the columns: lower
            b[i] = uniform(bits);
        }
        std::size_t first = 0;
        for (std::size_t row = 0; row < kReadings; ++row) {
            for (std::size_t s = 0; s < 11; ++s) {
                first = a[(row * kStride) + s] < a[first] ? (row * kStride) + s : first;
            }
        }
        EXPECT_EQ(kernels::first_least(a.data(), {.count = kReadings, .stride = kStride, .columns = 11}), first);
        EXPECT_EQ(kernels::least_of(a.data(), 11), *std::min_element(a.begin(), a.begin() + 11));
        std::vector<double> sums(kStride, 0.5);
        kernels::add_products(a.data(), b.data(), {.count = kReadings, .stride = kStride, .columns = kStride},
                              sums.data());
        for (std::size_t s = 0; s < kStride; ++s) {
            double sum = 0.5;
            for (std::size_t row = 0; row < kReadings; ++row) {
                sum += a[(row * kStride) + s] * b[(row * kStride) + s];
            }
            EXPECT_EQ(sums[s], sum);
        }
        std::vector<double> factor = b;
        kernels::divide(factor.data(), 3.0, kStride);
        for (std::size_t s = 0; s < kStride; ++s) {
            EXPECT_EQ(factor[s], b[s] / 3.0);
        }
    }
}

TEST(MixtureKernels, SizesAreJudgedByTheSumsOfTheSlowSpeeds) {
    const std::vector<double> sums = {1.0, 0.0, 4.0, 2.0, 1.0, 1.0, 1.0, 1.0};
    const std::vector<double> more = {1.0, 0.0, 4.0, 2.0, 1.0, 1.0, 1.0, 1.0};
    const std::vector<double> drift = {3.0, 5.0, 2.0, 2.0, 1.0, 1.0, 1.0, 1.0};
    std::vector<double> judged(8, 9.0);
    std::vector<double> offset(8, 1.0);
    kernels::judge({.first = sums.data(), .second = more.data()}, {.first = drift.data(), .second = drift.data()}, 0.5,
                   4, judged.data(), offset.data());
    EXPECT_EQ(judged, (std::vector<double>{0.25, 0.0, 0.0625, 0.125, 0.0, 0.0, 0.0, 0.0}));
    EXPECT_EQ(offset, (std::vector<double>{2.5, 1.0, 1.25, 1.5, 1.0, 1.0, 1.0, 1.0}));
    kernels::judge({.first = sums.data(), .second = nullptr}, {.first = drift.data(), .second = nullptr}, 0.5, 4,
                   judged.data(), offset.data());
    EXPECT_EQ(judged[2], 0.125);
}

TEST(MixtureKernels, QuadraticFormsOfEightVectorsAreThoseOfEigen) {
    std::mt19937_64 bits(3);
    for (const Index size : {0, 1, 2, 5, 20}) {
        const Index stride = (size + 8) / 8 * 8;
        Rows P = Rows::Zero(size + 1, stride);
        P.topLeftCorner(size, size) = correlations(size, size + 2, bits);
        const Rows x = random_matrix(size + 1, 8, bits);
        std::vector<double> out(8, 0.0);
        kernels::quadratic_forms(P.data(), static_cast<std::size_t>(size), static_cast<std::size_t>(stride), x.data(),
                                 out.data());
        for (Index c = 0; c < 8; ++c) {
            const VectorXd column = x.topRows(size).col(c);
            EXPECT_NEAR(out[static_cast<std::size_t>(c)], column.dot(P.topLeftCorner(size, size) * column),
                        1e-12 * (1.0 + column.squaredNorm() * static_cast<double>(size)));
        }
    }
}

// Two speeds, readings far above the least that weigh nothing, and sizes that are copies of the last one computed.
TEST(MixtureKernels, WeightsOfTwoSpeedsAndTheirSumsAreThoseOfExponentials) {
    constexpr std::size_t kReadings = 5;
    constexpr std::size_t kStride = 16;
    constexpr double kRate = 0.5;
    const kernels::Rows rows{.count = kReadings, .stride = kStride, .columns = 8, .copies = 3};
    std::mt19937_64 bits(7);
    std::uniform_real_distribution<double> uniform(0.0, 1.0);
    std::vector<double> errors[2];  // NOLINT(modernize-avoid-c-arrays)
    std::vector<double> bias[2];    // NOLINT(modernize-avoid-c-arrays)
    std::vector<double> sums[2];    // NOLINT(modernize-avoid-c-arrays)
    std::vector<double> drift[2];   // NOLINT(modernize-avoid-c-arrays)
    std::vector<double> least(kStride, 1e300);
    for (std::size_t g = 0; g < 2; ++g) {
        errors[g].resize(kReadings * kStride);
        bias[g].resize(errors[g].size());
        sums[g].assign(kStride, 0.0);
        drift[g].assign(kStride, 0.0);
        for (std::size_t i = 0; i < errors[g].size(); ++i) {
            errors[g][i] = (i / kStride) % 3 == 1 ? 1e4 : 30.0 * uniform(bits);
            bias[g][i] = uniform(bits);
        }
        kernels::lower(errors[g].data(), {.count = 1, .apart = 0}, rows, false, least.data());
    }
    std::vector<kernels::Speed> speeds;
    for (std::size_t g = 0; g < 2; ++g) {
        speeds.push_back(
            {.errors = errors[g].data(), .bias = bias[g].data(), .sums = sums[g].data(), .drift = drift[g].data()});
    }
    std::vector<double> w(kReadings * kStride, -1.0);
    kernels::exponentials(speeds.data(), 2, rows, least.data(), kRate, false, w.data());
    for (std::size_t s = 0; s < 11; ++s) {
        const std::size_t from = std::min<std::size_t>(s, 7);
        double sum[2] = {0.0, 0.0};    // NOLINT(modernize-avoid-c-arrays)
        double along[2] = {0.0, 0.0};  // NOLINT(modernize-avoid-c-arrays)
        for (std::size_t row = 0; row < kReadings; ++row) {
            double both = 0.0;
            for (std::size_t g = 0; g < 2; ++g) {
                const std::size_t i = (row * kStride) + from;
                const double weight = std::exp(-kRate * (errors[g][i] - least[from]));
                both += weight;
                sum[g] += weight;
                along[g] += weight * bias[g][i];
            }
            EXPECT_NEAR(w[(row * kStride) + s], both, 1e-14) << row << ", " << s;
        }
        for (std::size_t g = 0; g < 2; ++g) {
            EXPECT_NEAR(sums[g][s], sum[g], 1e-13);
            EXPECT_NEAR(drift[g][s], along[g], 1e-13);
        }
    }
    EXPECT_EQ(w[kStride], 0.0);
    EXPECT_EQ(w[11], -1.0);
}

TEST(MixtureKernels, ScoresAreSquaresOrTheirBoundedForm) {
    constexpr std::size_t kCells = 16;
    std::mt19937_64 bits(4);
    std::normal_distribution<double> normal;
    for (const double tail : {0.0, 0.5, 40.0}) {
        std::vector<double> base(kCells);
        std::vector<double> bias(kCells);
        std::vector<double> squares(kCells, 1.0);
        std::vector<std::vector<double>> sums(kDiscounts.size(), std::vector<double>(kCells, 3.0));
        for (std::size_t i = 0; i < kCells; ++i) {
            base[i] = normal(bits);
            bias[i] = normal(bits);
        }
        const std::vector<double> before = bias;
        std::array<double*, kDiscounts.size()> pointers{};
        for (std::size_t d = 0; d < kDiscounts.size(); ++d) {
            pointers[d] = sums[d].data();
        }
        kernels::score(base.data(), {.count = 2, .stride = 8, .columns = 8}, {.y = 0.7, .tail = tail, .step = 0.25},
                       pointers, squares.data(), bias.data());
        for (std::size_t i = 0; i < kCells; ++i) {
            const double e = 0.7 - base[i] - before[i];
            const double loss = tail > 0.0 ? tail * std::log(1.0 + (e * e / tail)) : e * e;
            // Rounded to 38 bits of the mantissa.
            ASSERT_NEAR(squares[i], 1.0 + (e * e), 0x1p-39 * squares[i]);
            ASSERT_NEAR(bias[i], before[i] + (0.25 * e), 0x1p-39 * (1.0 + std::abs(e)));
            for (std::size_t d = 0; d < kDiscounts.size(); ++d) {
                ASSERT_NEAR(sums[d][i], (3.0 * kDiscounts[d]) + loss, 0x1p-38 * sums[d][i]);
                ASSERT_EQ(std::bit_cast<std::uint64_t>(sums[d][i]) % (1U << kernels::kUnusedBits), 0U);
            }
        }
    }
}

}  // namespace
}  // namespace sluice::tune::mixture_kernels_test
