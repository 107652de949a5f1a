// Defining equations of the small factors and solves: L L' = A, A x = b, and Penrose's for the pseudo-inverse.
#include "small_dense.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace small_dense_test {
namespace {

using namespace sluice::core;

// G G' for a size x rank matrix G of standard normal numbers: positive semidefinite, of that rank.
std::vector<double> semidefinite(std::size_t size, std::size_t rank) {
    std::mt19937_64 random(size + rank);
    std::normal_distribution<double> normal;
    std::vector<double> G(size * rank);
    for (double& g : G) {
        g = normal(random);
    }
    std::vector<double> A(size * size);
    for (std::size_t c = 0; c < size; ++c) {
        for (std::size_t i = 0; i < size; ++i) {
            for (std::size_t m = 0; m < rank; ++m) {
                A[(c * size) + i] += G[(m * size) + i] * G[(m * size) + c];
            }
        }
    }
    return A;
}

std::vector<double> multiply(const std::vector<double>& A, const std::vector<double>& x) {
    std::vector<double> b(x.size());
    for (std::size_t c = 0; c < x.size(); ++c) {
        for (std::size_t i = 0; i < x.size(); ++i) {
            b[i] += A[(c * x.size()) + i] * x[c];
        }
    }
    return b;
}

// Least eigenvalues of these matrices are near 1e-3, their largest near 1e2: 1e-9 is far above rounding.
void expect_near(const std::vector<double>& a, const std::vector<double>& b) {
    for (std::size_t i = 0; i < a.size(); ++i) {
        EXPECT_NEAR(a[i], b[i], 1e-9) << "entry " << i << " of " << a.size();
    }
}

TEST(SmallDense, ARidgeIsAddedForAnySizeAndAnyNumberOfRightSides) {
    for (const std::size_t size : {1U, 2U, 7U, 8U, 9U, 20U, 31U, 32U, 33U, 40U}) {
        for (const std::size_t columns : {1U, 3U, 8U, 19U}) {
            auto A = semidefinite(size, size + 5);
            std::vector<double> X(size * columns);
            for (std::size_t i = 0; i < X.size(); ++i) {
                X[i] = std::cos(static_cast<double>(i));
            }
            const auto B = X;
            std::vector<double> factor(A.size());
            solve_with_ridge(A, size, 0.25, factor, X);
            for (std::size_t c = 0; c < size; ++c) {
                A[(c * size) + c] += 0.25;
            }
            for (std::size_t k = 0; k < columns; ++k) {
                SCOPED_TRACE(testing::Message() << size << " rows, right side " << k << " of " << columns);
                const auto first = static_cast<std::ptrdiff_t>(k * size);
                const auto last = static_cast<std::ptrdiff_t>((k + 1) * size);
                expect_near(multiply(A, {X.begin() + first, X.begin() + last}), {B.begin() + first, B.begin() + last});
            }
        }
    }
}

// Copies of one variable: all that keeps them apart is the ridge, which may be below the rounding of A.
TEST(SmallDense, TheSolutionForCopiesOfOneVariableIsFinite) {
    for (const double ridge : {1e-10, 1e-16, 1e-20}) {
        for (const std::size_t size : {5U, 32U}) {
            const std::vector<double> A(size * size, 1.0);
            std::vector<double> X(size, 1.0);
            std::vector<double> factor(A.size());
            solve_with_ridge(A, size, ridge, factor, X);
            for (const double x : X) {
                EXPECT_TRUE(std::isfinite(x)) << ridge;
            }
        }
    }
}

TEST(SmallDense, CholeskySolvesTheSystemOfAnySize) {
    for (const std::size_t size : {std::size_t{1}, std::size_t{2}, std::size_t{7}, std::size_t{40}}) {
        const auto A = semidefinite(size, size + 5);
        std::vector<double> b(size, 1.0);
        auto L = A;
        auto x = b;
        cholesky_in_place(L, size);
        cholesky_solve(L, size, x);
        expect_near(multiply(A, x), b);

        auto small_L = A;
        auto small_x = b;
        EXPECT_GT(small_cholesky_in_place(small_L, size), 0.0);
        small_cholesky_solve(small_L, size, small_x);
        expect_near(multiply(A, small_x), b);
    }
}

TEST(SmallDense, SmallCholeskyReturnsTheLeastPivotAsAShareOfTheLargest) {
    std::vector<double> diagonal = {4.0, 0.0, 0.0, 1.0};
    EXPECT_EQ(small_cholesky_in_place(diagonal, 2), 0.5);
    std::vector<double> indefinite = {1.0, 2.0, 2.0, 1.0};
    EXPECT_EQ(small_cholesky_in_place(indefinite, 2), 0.0);
}

TEST(SmallDense, PseudoInverseSatisfiesPenroseForEveryRankAndSize) {
    constexpr std::size_t kLargest = 6;
    PseudoInverse pseudo_inverse(kLargest);
    for (std::size_t size = 1; size <= kLargest; ++size) {
        for (std::size_t rank = 0; rank <= size; ++rank) {
            const auto A = semidefinite(size, rank);
            std::vector<double> b(size);
            b[size / 2] = 1.0;
            const auto image = multiply(A, b);
            auto x = image;
            pseudo_inverse.compute(A, size);
            pseudo_inverse.solve(x, 1e-12);
            expect_near(multiply(A, x), image);  // A A+ A b = A b
            auto shortest = multiply(A, x);      // A+ A x = x: nothing of x lies where A is zero
            pseudo_inverse.solve(shortest, 1e-12);
            expect_near(shortest, x);
        }
    }
}

TEST(SmallDense, ACopyOfAPseudoInverseSolvesByItself) {
    const std::vector<double> A = {2.0, 0.0, 0.0, 0.0};
    PseudoInverse first(2);
    first.compute(A, 2);
    PseudoInverse second = first;
    first.compute(std::vector<double>{1.0, 0.0, 0.0, 1.0}, 2);
    std::vector<double> x = {1.0, 1.0};
    second.solve(x, 1e-12);
    EXPECT_EQ(x, (std::vector<double>{0.5, 0.0}));
}

}  // namespace
}  // namespace small_dense_test
