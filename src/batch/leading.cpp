// leading.cpp -- the first eigenvectors of H, eq. (9), without H.
//
// With H = K'K (operator.hpp) they are the right singular vectors of K.
//
//   small    K is decomposed (Jacobi, after a pivoted QR).
//   large    Lanczos iteration on v -> P H P v, one eigenvector at a time, where P takes away those found.
//
// Why not one decomposition, or one iteration, of H for all? With alpha = 1e-5 and one output the second eigenvalue is
// some 1e-6 of the first. Whatever works on H leaves an error of 1e-16 times the FIRST eigenvalue in every vector. K has
// the square root of that ratio, and P H P no longer has the first eigenvalue. Measured against long double, n = 200,
// p = 150, inputs of pure noise, five vectors: dense H 1e-9, K 3e-12, P H P 4e-13. A fresh start for each vector also
// finds all those of a repeated eigenvalue, of which one Krylov space holds a single one.
//
// Why not Spectra's solver? Version 1.0.1 does not orthogonalise its second vector against the first, which costs up to
// the ratio of eigenvalues (measured: 4e-6 in the first vector), and gives wrong vectors or throws when the operator has
// rank one (6 of 50 trials), as P H P has at the last component that the data supports.
#include "leading.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "complement.hpp"

namespace sluice::batch {

namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

// The decomposition of a 128 x 128 matrix takes some 30 ms.
constexpr Index small_side_limit = 128;
// Beyond this share of all eigenvectors the decomposition is cheaper than an iteration for each.
constexpr Index sides_per_vector = 8;

// Wide data, p = 20000: 24 and 8 took MEASURE.
constexpr Index basis_size = 24;
constexpr Index basis_kept = 8;
// Residuals, relative to the eigenvalue. Rounding of M'v lets those of later vectors fall no further than epsilon times
// the root of first over own eigenvalue (measured: 8e-14 where that ratio was 2e6), so the iteration also ends when a good
// one does not fall any more. Eigenvalues too close to part within the limit have vectors that are hardly defined: then a
// residual that shows them to be eigenvalues at all will do. Pure noise, the slowest met, takes some 300 steps a vector.
constexpr double good_residual = 1e-10;
constexpr double poor_residual = 1e-6;
constexpr int patience = 24;
constexpr int step_limit = 5000;

// Eigenvalues of K'K below this share of the first are nothing but the rounding of K.
double rank_limit(const BridgeOperator& H) {
    const double relative = epsilon * static_cast<double>(std::max(H.size(), H.root_rows()));
    return relative * relative;
}

Leading first_of(const Leading& all, Index count) {
    return {.vectors = all.vectors.leftCols(count), .values = all.values.head(count), .settled = all.settled};
}

// Numbers in (-1, 1) that are the same on every run and every machine.
VectorXd random_vector(Index size, std::uint64_t seed) {
    std::mt19937_64 bits(seed);
    return VectorXd::NullaryExpr(size, [&] { return std::ldexp(static_cast<double>(bits() >> 11U), -52) - 1.0; });
}

struct Pair {
    double value = 0.0;
    VectorXd vector;
    double residual = 0.0;  // |A u - value u| / value
};

// Brings v to unit length, orthogonal to V and in the range of P; returns what was left of it.
double orthogonalise(VectorXd& v, const Eigen::Ref<const MatrixXd>& V, const Complement& P) {
    v = P.project(v);
    v -= V * (V.transpose() * v).eval();
    const double length = v.norm();
    v /= length > 0.0 ? length : 1.0;
    return length;
}

// The largest eigenvalue of A = P H P and its vector, by Lanczos iteration with full orthogonalisation, restarted from
// the best few vectors found.
//
//   code   size    meaning
//   V      p x k   orthonormal basis of the Krylov space
//   AV     p x k   A V
//   G      k x k   V'A V, whose eigenpairs (theta, y) give the approximate ones (theta, V y) of A
//
// Ends at once where no eigenvalue can exceed `least`: A's trace, which is about p start'A start, bounds them.
Pair leading_pair(const BridgeOperator& H, const Complement& P, const VectorXd& start, double least) {
    const Index p = H.size();
    const double tolerance = epsilon * std::max(32.0, std::sqrt(static_cast<double>(p + H.root_rows())));
    MatrixXd V(p, basis_size);
    MatrixXd AV(p, basis_size);
    MatrixXd G = MatrixXd::Zero(basis_size, basis_size);
    Index k = 0;
    Pair best;
    int best_step = 0;
    VectorXd next = start;
    for (int step = 0; step < step_limit; ++step) {
        V.col(k) = next;
        AV.col(k) = P.project(H.times(next));
        ++k;
        G.col(k - 1).head(k) = V.leftCols(k).transpose() * AV.col(k - 1);
        G.row(k - 1).head(k) = G.col(k - 1).head(k).transpose();
        const Eigen::SelfAdjointEigenSolver<MatrixXd> ritz(G.topLeftCorner(k, k));
        const double theta = ritz.eigenvalues()[k - 1];
        const VectorXd y = ritz.eigenvectors().col(k - 1);
        const VectorXd u = V.leftCols(k) * y;
        next.noalias() = AV.leftCols(k) * y - theta * u;
        const double residual = next.norm() / theta;
        if (step == 0 || residual < best.residual) {
            best = {.value = theta, .vector = u, .residual = residual};
            best_step = step;
        }
        const bool settled = best.residual <= tolerance;
        const bool falls_no_more = best.residual <= good_residual && step - best_step >= patience;
        const bool nothing_left = step == 0 && static_cast<double>(p) * AV.col(0).norm() <= least;
        if (settled || falls_no_more || nothing_left) {
            break;
        }
        if (k == basis_size) {
            const MatrixXd Y = ritz.eigenvectors().rightCols(basis_kept);
            V.leftCols(basis_kept) = (V * Y).eval();
            AV.leftCols(basis_kept) = (AV * Y).eval();
            G.setZero();
            G.diagonal().head(basis_kept) = ritz.eigenvalues().tail(basis_kept);
            k = basis_kept;
        }
        // Back into the complement and away from V, once more at unit length: next is a difference of nearly equal vectors,
        // and H would enlarge what it holds of those found before.
        const double rest = orthogonalise(next, V.leftCols(k), P);
        if (rest <= epsilon * residual * theta) {  // the space holds all that the start can lead to
            break;
        }
        orthogonalise(next, V.leftCols(k), P);
    }
    best.vector = P.project(best.vector).normalized();
    return best;
}

}  // namespace

Leading leading_by_decomposition(const BridgeOperator& H, Index count) {
    const Eigen::JacobiSVD<MatrixXd> svd(H.root(), Eigen::ComputeThinV | Eigen::ComputeThinU);
    const Leading all{.vectors = svd.matrixV(), .values = svd.singularValues().array().square()};
    Index rank = 0;
    while (rank < std::min(count, all.values.size()) && all.values[rank] > rank_limit(H) * all.values[0]) {
        ++rank;
    }
    return first_of(all, rank);
}

Leading leading_by_iteration(const BridgeOperator& H, Index count) {
    Leading found{.vectors = MatrixXd(H.size(), count), .values = VectorXd(count)};
    Complement P(H.size());
    for (Index r = 0; r < count; ++r) {
        const VectorXd start = P.project(random_vector(H.size(), static_cast<std::uint64_t>(r))).normalized();
        const double least = r == 0 ? 0.0 : rank_limit(H) * found.values[0];
        const Pair pair = leading_pair(H, P, start, least);
        if (!(pair.value > least)) {
            return first_of(found, r);
        }
        if (!(pair.residual <= poor_residual)) {
            found.settled = false;
            return first_of(found, r);
        }
        found.values[r] = pair.value;
        found.vectors.col(r) = pair.vector;
        P.add(pair.vector);
    }
    return found;
}

Leading leading_eigenvectors(const BridgeOperator& H, Index count) {
    const Index side = std::min(H.size(), H.root_rows());
    const bool small = side <= std::max(small_side_limit, sides_per_vector * count);
    return small ? leading_by_decomposition(H, count) : leading_by_iteration(H, count);
}

}  // namespace sluice::batch
