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
        std::vector<double> L(static_cast<std::size_t>(4 * size * size), 0.0);
        kernels::factor_four(A.data(), static_cast<std::size_t>(size), 0, ridges.data(), L.data());
        const VectorXd given = random_matrix(size, 1, bits);
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
                    const double entry = L[static_cast<std::size_t>((4 * ((i * size) + j)) + r)];
                    // The condition of 3 n rows of n columns is some tens; of the inverse of the diagonal likewise.
                    ASSERT_NEAR(i == j ? 1.0 / entry : entry, expected(i, j), 1e-11) << size << " " << r;
                }
                ASSERT_NEAR(x[static_cast<std::size_t>((4 * i) + r)], solved(i), 1e-9 * (1.0 + solved.norm()));
            }
        }
    }
}

TEST(MixtureKernels, FactorsOfCopiesOfOneVariableAreFinite) {
    constexpr std::size_t kSize = 9;
    const std::vector<double> A(kSize * kSize, 1.0);
    const std::vector<double> ridges = {1e-9, 1e-9, 1e-3, 1.0};
    std::vector<double> L(4 * kSize * kSize, 0.0);
    kernels::factor_four(A.data(), kSize, 0, ridges.data(), L.data());
    std::vector<double> x(4 * kSize, 1.0);
    kernels::forward_four(L.data(), kSize, x.data());
    for (const double value : x) {
        EXPECT_TRUE(std::isfinite(value));
    }
}

// [ A m; m' 0 ] with all variables exchanged: [ P B; -B' -m'P m ].
TEST(MixtureKernels, ExchangingAllVariablesGivesTheInverseTheCoefficientsAndTheFit) {
    std::mt19937_64 bits(2);
    for (const Index size : {1, 3, 6, 11}) {
        for (const Index outputs : {1, 3}) {
            const Index n = size + outputs;
            const Index stride = (n + 7) / 8 * 8;
            const MatrixXd A = correlations(size, 3 * size, bits) + (0.1 * MatrixXd::Identity(size, size));
            const MatrixXd m = random_matrix(size, outputs, bits);
            Rows T = Rows::Zero(n, stride);
            T.topLeftCorner(size, size) = A;
            T.block(0, size, size, outputs) = m;
            T.block(size, 0, outputs, size) = m.transpose();
            const Rows before = T;
            for (Index i = 0; i < size; ++i) {
                kernels::exchange(T.data(), static_cast<std::size_t>(n), static_cast<std::size_t>(stride),
                                  static_cast<std::size_t>(i));
            }
            const MatrixXd P = A.inverse();
            const MatrixXd B = P * m;
            // The condition of A is below 100.
            EXPECT_NEAR((T.topLeftCorner(size, size) - P).norm(), 0.0, 1e-11 * P.norm());
            EXPECT_NEAR((T.block(0, size, size, outputs) - B).norm(), 0.0, 1e-11 * (1.0 + B.norm()));
            EXPECT_NEAR((T.block(size, 0, outputs, size) + B.transpose()).norm(), 0.0, 1e-11 * (1.0 + B.norm()));
            EXPECT_NEAR((T.block(size, size, outputs, outputs) + (m.transpose() * B)).norm(), 0.0, 1e-9);
            if (size > 1) {  // without the first variable, in the rows of the others
                std::vector<std::size_t> left;
                for (Index i = 1; i < size; ++i) {
                    left.push_back(static_cast<std::size_t>(i));
                }
                Rows out = T;
                kernels::take_out(out.data(), static_cast<std::size_t>(n), static_cast<std::size_t>(stride), 0, left);
                const Index rest = size - 1;
                const MatrixXd less = A.bottomRightCorner(rest, rest).inverse();
                EXPECT_NEAR((out.block(1, 1, rest, rest) - less).norm(), 0.0, 1e-10 * less.norm());
                EXPECT_NEAR((out.block(1, size, rest, outputs) - (less * m.bottomRows(rest))).norm(), 0.0,
                            1e-10 * (1.0 + B.norm()));
            }
            for (Index i = 0; i < size; ++i) {  // exchanged once more: as it was
                kernels::exchange(T.data(), static_cast<std::size_t>(n), static_cast<std::size_t>(stride),
                                  static_cast<std::size_t>(i));
            }
            // Columns of variables that were exchanged twice have their sign back.
            EXPECT_NEAR((T - before).norm(), 0.0, 1e-9);
        }
    }
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
        kernels::lower(errors[g].data(), rows, least.data());
    }
    std::vector<kernels::Speed> speeds;
    for (std::size_t g = 0; g < 2; ++g) {
        speeds.push_back(
            {.errors = errors[g].data(), .bias = bias[g].data(), .sums = sums[g].data(), .drift = drift[g].data()});
    }
    std::vector<double> w(kReadings * kStride, -1.0);
    kernels::exponentials(speeds.data(), 2, rows, least.data(), kRate, w.data());
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
