// small_dense.hpp -- factors and solves of small dense symmetric matrices, stored by columns.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace sluice::core {

/// L of A = L L' in the lower half of A, size x size. A is positive definite.
void cholesky_in_place(std::span<double> A, std::size_t size);

/// X <- (L L')^-1 X, with L in the lower half of a size x size block; X has any number of columns.
void cholesky_solve(std::span<const double> L, std::size_t size, std::span<double> X);

/// X <- (A + ridge I)^-1 X. A: positive semidefinite; factor: scratch of the size of A. ridge > 0.
void solve_with_ridge(std::span<const double> A, std::size_t size, double ridge, std::span<double> factor,
                      std::span<double> X);

/// The same as the first two for the few components: plain loops cost less there than calls that suit any size.
/// Returns the least pivot as a share of the largest, 0 where A is not positive definite.
[[nodiscard]] double small_cholesky_in_place(std::span<double> A, std::size_t size);
/// X <- (L L')^-1 X for several right sides, by columns.
void small_cholesky_solve(std::span<const double> L, std::size_t size, std::span<double> X);

/// A = U diag(d) V' of a square matrix, d from the largest down. d has as many entries as A has columns.
void square_svd(std::span<const double> A, std::span<double> U, std::span<double> d, std::span<double> V);

/// The pseudo-inverse of a symmetric positive semidefinite matrix of at most `largest` rows. Allocates only when it is made.
class PseudoInverse {
  public:
    explicit PseudoInverse(std::size_t largest);
    ~PseudoInverse();
    PseudoInverse(const PseudoInverse& other);
    PseudoInverse& operator=(const PseudoInverse& other);
    PseudoInverse(PseudoInverse&& other) noexcept;
    PseudoInverse& operator=(PseudoInverse&& other) noexcept;

    /// Decomposes A, size x size, size at most `largest`.
    void compute(std::span<const double> A, std::size_t size);

    /// x <- A^+ x. Directions whose strength is below `least` times the strongest count as zero.
    void solve(std::span<double> x, double least);

  private:
    struct Decomposition;
    std::unique_ptr<Decomposition> decomposition_;
};

}  // namespace sluice::core
