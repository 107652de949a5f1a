// The path against scikit-learn (lars_reference.txt, redone by make_lars_reference.py), and against what defines it.
#include "lars.hpp"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>

#include "sluice/error.hpp"
#include "sluice/simulate.hpp"

namespace sluice::test::lars_test {
namespace {

using baselines::lars;
using baselines::LarsOptions;
using baselines::LarsVariant;
using baselines::Path;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

struct Moments {
    Matrix gram;
    std::vector<double> cross;
};

Moments moments_of(const MatrixXd& X, const VectorXd& y) {
    const MatrixXd G = X.transpose() * X;
    const VectorXd g = X.transpose() * y;
    const auto p = static_cast<std::size_t>(X.cols());
    Moments moments{.gram = Matrix(p, p), .cross = {g.begin(), g.end()}};
    std::ranges::copy(G.reshaped(), moments.gram.data());
    return moments;
}

VectorXd coefficients_at(const Path& path, std::size_t knot) {
    const auto column = path.coefficients.column(knot);
    return Eigen::Map<const VectorXd>(column.data(), static_cast<Index>(column.size()));
}

struct Data {
    MatrixXd X;
    VectorXd y;
};

Data random_data(std::uint64_t seed, Index n, Index p, double correlation) {
    NormalSource normal(seed);
    Data data{.X = MatrixXd(n, p), .y = VectorXd(n)};
    for (Index i = 0; i < n; ++i) {
        const double common = normal.next();
        for (Index j = 0; j < p; ++j) {
            data.X(i, j) = (std::sqrt(1.0 - correlation) * normal.next()) + (std::sqrt(correlation) * common);
        }
        data.y[i] = data.X.row(i).head(p / 2).sum() - (2.0 * data.X(i, p - 1)) + normal.next();
    }
    return data;
}

// c = X'(y - Xb): active ones equal in size, others not larger; for the lasso of the sign of their coefficients.
void expect_path(const Data& data, const Path& path, LarsVariant variant) {
    const double size = path.alphas.front();
    const double tolerance = 1e-10 * size;
    for (std::size_t k = 0; k < path.alphas.size(); ++k) {
        const VectorXd b = coefficients_at(path, k);
        const VectorXd c = data.X.transpose() * (data.y - data.X * b);
        ASSERT_TRUE(b.allFinite());
        EXPECT_LE(c.cwiseAbs().maxCoeff(), path.alphas[k] + tolerance) << "knot " << k;
        for (Index j = 0; j < b.size(); ++j) {
            if (b[j] == 0.0) {
                continue;
            }
            EXPECT_NEAR(std::abs(c[j]), path.alphas[k], tolerance) << "knot " << k << ", input " << j;
            if (variant == LarsVariant::lasso && path.alphas[k] > tolerance) {
                EXPECT_GT(c[j] * b[j], 0.0) << "knot " << k << ", input " << j;
            }
        }
        if (k > 0) {
            EXPECT_LE(path.alphas[k], path.alphas[k - 1]);
        }
    }
}

TEST(Lars, AgreesWithScikitLearn) {
    std::ifstream file(std::string(SLUICE_SOURCE_DIR) + "/tests/baselines/lars_reference.txt");
    std::string line;
    ASSERT_TRUE(std::getline(file, line));  // versions
    int cases = 0;
    std::string word;
    std::string name;
    std::string method;
    Index n = 0;
    Index p = 0;
    std::size_t knots = 0;
    while (file >> word >> name >> method >> n >> p >> knots) {
        SCOPED_TRACE(name + " " + method);
        Data data{.X = MatrixXd(n, p), .y = VectorXd(n)};
        for (Index i = 0; i < n; ++i) {
            for (Index j = 0; j < p; ++j) {
                file >> data.X(i, j);
            }
            file >> data.y[i];
        }
        std::vector<double> alphas(knots);
        for (double& alpha : alphas) {
            file >> alpha;
        }
        MatrixXd expected(p, static_cast<Index>(knots));
        for (double& b : expected.reshaped()) {
            file >> b;
        }
        ASSERT_TRUE(file.good());
        const Moments moments = moments_of(data.X, data.y);
        const LarsVariant variant = method == "lasso" ? LarsVariant::lasso : LarsVariant::lar;
        const Path path = lars(moments.gram, moments.cross, {.variant = variant});
        expect_path(data, path, variant);
        EXPECT_TRUE(path.complete);
        std::size_t compared = 0;
        for (std::size_t k = 0; k < knots && alphas[k] > 1e-9 * alphas[0]; ++k, ++compared) {
            ASSERT_LT(k, path.alphas.size());
            EXPECT_NEAR(path.alphas[k], alphas[k], 1e-8) << "knot " << k;
            EXPECT_LT((coefficients_at(path, k) - expected.col(static_cast<Index>(k))).cwiseAbs().maxCoeff(), 1e-8);
        }
        EXPECT_GE(compared, 6U);
        if (alphas.back() <= 1e-9 * alphas[0]) {  // stored to its end: no knot too many, and the same end
            EXPECT_EQ(path.alphas.size(), compared + 1);
            EXPECT_LT((coefficients_at(path, compared) - expected.rightCols<1>()).cwiseAbs().maxCoeff(), 1e-8);
        }
        ++cases;
    }
    EXPECT_EQ(cases, 10);
}

TEST(Lars, EveryKnotMeetsTheDefiningEquations) {
    int left = 0;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        const Index n = 10 + static_cast<Index>((seed * 7) % 40);
        const Index p = 3 + static_cast<Index>((seed * 11) % 50);
        const Data data = random_data(seed, n, p, static_cast<double>(seed % 10) / 10.0);
        const Moments moments = moments_of(data.X, data.y);
        for (const LarsVariant variant : {LarsVariant::lar, LarsVariant::lasso}) {
            SCOPED_TRACE(testing::Message() << "seed " << seed << ", n " << n << ", p " << p);
            const Path path = lars(moments.gram, moments.cross, {.variant = variant});
            expect_path(data, path, variant);
            EXPECT_TRUE(path.complete);
            EXPECT_EQ(path.alphas.back(), 0.0);
            left += static_cast<int>(path.joined.size() - path.active.size());
            if (variant == LarsVariant::lar) {
                EXPECT_EQ(path.active, path.joined);
                EXPECT_EQ(path.active.size(), static_cast<std::size_t>(std::min(n, p)));
            }
        }
    }
    EXPECT_GT(left, 50);  // else leaving would not have been met
}

TEST(Lars, EndsAtLeastSquares) {
    const Data data = random_data(5, 40, 8, 0.6);
    const Moments moments = moments_of(data.X, data.y);
    const VectorXd expected = data.X.colPivHouseholderQr().solve(data.y);
    for (const LarsVariant variant : {LarsVariant::lar, LarsVariant::lasso}) {
        const Path path = lars(moments.gram, moments.cross, {.variant = variant});
        EXPECT_LT((coefficients_at(path, path.alphas.size() - 1) - expected).norm(), 1e-11);
    }
}

TEST(Lars, StopsWhereOneMoreNameWouldJoin) {
    const Data data = random_data(6, 30, 20, 0.5);
    const Moments moments = moments_of(data.X, data.y);
    for (const LarsVariant variant : {LarsVariant::lar, LarsVariant::lasso}) {
        const Path whole = lars(moments.gram, moments.cross, {.variant = variant});
        for (const std::size_t names : {0U, 1U, 4U, 19U, 20U, 25U}) {
            const Path path = lars(moments.gram, moments.cross, {.variant = variant, .max_names = names});
            ASSERT_LE(path.active.size(), names);
            ASSERT_LE(path.alphas.size(), whole.alphas.size());
            for (std::size_t k = 0; k < path.alphas.size(); ++k) {
                EXPECT_EQ(path.alphas[k], whole.alphas[k]);
                EXPECT_EQ(coefficients_at(path, k), coefficients_at(whole, k));
                EXPECT_LE((coefficients_at(path, k).array() != 0.0).count(), static_cast<Index>(names));
            }
            if (variant == LarsVariant::lar) {
                EXPECT_EQ(path.active.size(), std::min<std::size_t>(names, 20));
                EXPECT_EQ((coefficients_at(path, path.alphas.size() - 1).array() != 0.0).count(),
                          static_cast<Index>(path.active.size()));
            }
        }
    }
}

TEST(Lars, ColumnsOnDemandGiveTheSameBits) {
    const Data data = random_data(7, 15, 30, 0.3);
    const Moments moments = moments_of(data.X, data.y);
    std::vector<double> squares(30);
    for (std::size_t j = 0; j < 30; ++j) {
        squares[j] = moments.gram(j, j);
    }
    std::size_t asked = 0;
    const auto column = [&](std::size_t j, std::span<double> out) {
        ++asked;
        std::ranges::copy(moments.gram.column(j), out.begin());
    };
    const Path path = lars(column, squares, moments.cross, {.max_names = 5});
    const Path dense = lars(moments.gram, moments.cross, {.max_names = 5});
    EXPECT_EQ(asked, 5U);
    EXPECT_EQ(path.alphas, dense.alphas);
    EXPECT_EQ(path.coefficients, dense.coefficients);
    EXPECT_EQ(path.active, dense.active);
}

TEST(Lars, CopiesAndZerosNeverJoinBesideTheirOriginals) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        Data data = random_data(seed, 25, 12, 0.4);
        data.X.col(3) = data.X.col(0);
        data.X.col(4).setZero();
        data.X.col(5) = -data.X.col(11);
        data.X.col(6) = data.X.col(7) + data.X.col(8);
        const Moments moments = moments_of(data.X, data.y);
        for (const LarsVariant variant : {LarsVariant::lar, LarsVariant::lasso}) {
            SCOPED_TRACE(testing::Message() << "seed " << seed);
            const Path path = lars(moments.gram, moments.cross, {.variant = variant});
            EXPECT_TRUE(path.complete);
            expect_path(data, path, variant);
            const VectorXd end = coefficients_at(path, path.alphas.size() - 1);
            const VectorXd fitted = data.X * data.X.completeOrthogonalDecomposition().solve(data.y);
            EXPECT_LT((data.X * end - fitted).norm(), 1e-9 * fitted.norm());
            EXPECT_TRUE(end[0] == 0.0 || end[3] == 0.0);
            EXPECT_EQ(end[4], 0.0);
            EXPECT_EQ(path.active.size(), 8U);  // the rank of X
        }
    }
}

TEST(Lars, UnitsOfTheOutputAndOfAllInputsPassThrough) {
    const Data data = random_data(8, 20, 10, 0.5);
    const Moments moments = moments_of(data.X, data.y);
    const Path plain = lars(moments.gram, moments.cross, {.variant = LarsVariant::lasso});
    const double x_unit = std::ldexp(1.0, 400);  // squares of 1e240
    const double y_unit = std::ldexp(1.0, -300);
    Moments scaled = moments;
    for (std::size_t j = 0; j < 10; ++j) {
        for (double& value : scaled.gram.column(j)) {
            value *= x_unit * x_unit;
        }
        scaled.cross[j] *= x_unit * y_unit;
    }
    const Path path = lars(scaled.gram, scaled.cross, {.variant = LarsVariant::lasso});
    ASSERT_EQ(path.alphas.size(), plain.alphas.size());
    for (std::size_t k = 0; k < path.alphas.size(); ++k) {  // powers of two: the same bits
        EXPECT_EQ(path.alphas[k], plain.alphas[k] * x_unit * y_unit);
        EXPECT_EQ(coefficients_at(path, k), coefficients_at(plain, k) * (y_unit / x_unit));
    }
}

TEST(Lars, NothingToExplainGivesOneKnotOfZeros) {
    const Data data = random_data(9, 20, 4, 0.5);
    const Moments moments = moments_of(data.X, VectorXd::Zero(20));
    const Path path = lars(moments.gram, moments.cross);
    EXPECT_EQ(path.alphas, std::vector<double>{0.0});
    EXPECT_EQ(path.coefficients, Matrix(4, 1));
    EXPECT_TRUE(path.complete);
    EXPECT_TRUE(path.active.empty());
    EXPECT_TRUE(lars(Matrix(), {}).active.empty());
}

TEST(Lars, ShapesAndInfinitiesAreRefused) {
    Matrix gram(2, 2);
    gram(0, 0) = gram(1, 1) = 1.0;
    const std::vector<double> three(3, 1.0);
    EXPECT_THROW((void)lars(gram, three), DataError);
    std::vector<double> cross = {1.0, std::numeric_limits<double>::infinity()};
    EXPECT_THROW((void)lars(gram, cross), DataError);
    cross[1] = 1.0;
    gram(0, 1) = std::numeric_limits<double>::quiet_NaN();
    EXPECT_THROW((void)lars(gram, cross), DataError);
}

}  // namespace
}  // namespace sluice::test::lars_test
