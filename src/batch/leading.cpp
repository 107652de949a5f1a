// leading.cpp -- the first eigenvectors of H, eq. (9) and (11), without H.
//
// With H = K'K (operator.hpp) they are the right singular vectors of K, a matrix of n + q rows.
//
//   by decomposition   thin_svd.hpp: (n + q)^2 p operations, nothing of size p x p
//   by iteration       Spectra's Lanczos method on v -> P H P v, one eigenvector at a time, P taking away those found
//
// Why one at a time? With alpha = 1e-5 and one output the second eigenvalue is some 1e-6 of the first, and an iteration
// on H leaves an error of 1e-16 times the first eigenvalue in every vector; P H P no longer has the first.
// Spectra 1.0.1 may leave more (4e-6 was seen in a first vector that dwarfs the others, and failures where P H P has
// rank one): each vector is polished by steps of the power method, which act fastest just there, and checked by its
// residual. Where that does not hold, the decomposition takes over.
#include "leading.hpp"

#include <Spectra/SymEigsSolver.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <random>
#include <stdexcept>

#include "complement.hpp"
#include "thin_svd.hpp"

namespace sluice::batch {

namespace {

// Below this many rows or columns of K the decomposition takes some 30 ms, whatever is asked for.
constexpr Index small_side = 128;
// An eigenvector takes the iteration some sixty products with H, four passes over K each; the decomposition takes about
// as many passes as K has rows. Beyond this many rows for each vector asked for, the iteration is cheaper.
constexpr Index sides_per_vector = 60;
// Size of the Krylov space between restarts, and how many restarts before the decomposition takes over.
constexpr Index basis_size = 24;
constexpr Index restarts = 200;
constexpr int polishing_steps = 4;
// What a residual may be, relative to its eigenvalue. Rounding of M'v alone leaves 1e-13 where the eigenvalue is 1e-6 of
// the first.
constexpr double good_residual = 1e-11;

// Eigenvalues of K'K below this share of the first are nothing but the rounding of K.
double rank_limit(const BridgeOperator& H) {
    return H.resolution() * H.resolution();
}

Leading first_of(const MatrixXd& vectors, const VectorXd& values, Index count) {
    return {.vectors = vectors.leftCols(count), .values = values.head(count)};
}

// Numbers in (-1, 1) that are the same on every run and every machine.
VectorXd random_vector(Index size, std::uint64_t seed) {
    std::mt19937_64 bits(seed);
    return VectorXd::NullaryExpr(size, [&] { return std::ldexp(static_cast<double>(bits() >> 11U), -52) - 1.0; });
}

// P H P in the shape that Spectra asks for.
class Deflated {
  public:
    using Scalar = double;

    Deflated(const BridgeOperator& H, const Complement& P) : H_(H), P_(P) {}

    [[nodiscard]] Index rows() const { return H_.size(); }
    [[nodiscard]] Index cols() const { return H_.size(); }
    void perform_op(const double* in, double* out) const {
        Eigen::Map<VectorXd>(out, H_.size()) = times(Eigen::Map<const VectorXd>(in, H_.size()));
    }
    [[nodiscard]] VectorXd times(const VectorXd& v) const { return P_.project(H_.times(P_.project(v))); }

  private:
    const BridgeOperator& H_;
    const Complement& P_;
};

struct Pair {
    double value = 0.0;
    VectorXd vector;
};

// The largest eigenvalue of P H P and its vector; nothing where the iteration did not find it. Value 0: P H P vanishes.
std::optional<Pair> leading_pair(Deflated A, const VectorXd& start, double least) {
    // The trace bounds every eigenvalue, and p start'A start estimates it.
    if (A.times(start).norm() * static_cast<double>(A.rows()) <= least) {
        return Pair{};
    }
    Pair pair;
    try {
        Spectra::SymEigsSolver<Deflated> solver(A, 1, std::min(basis_size, A.rows()));
        solver.init(start.data());
        solver.compute(Spectra::SortRule::LargestAlge, restarts, good_residual / 10.0);
        if (solver.info() != Spectra::CompInfo::Successful) {
            return std::nullopt;
        }
        pair.vector = solver.eigenvectors(1).col(0);
    } catch (const std::exception&) {  // Spectra throws where its small matrices misbehave
        return std::nullopt;
    }
    double residual = std::numeric_limits<double>::infinity();
    for (int step = 0; step <= polishing_steps; ++step) {
        const VectorXd image = A.times(pair.vector);
        pair.value = pair.vector.dot(image);
        residual = (image - pair.value * pair.vector).norm() / pair.value;
        if (step < polishing_steps) {
            pair.vector = image.normalized();
        }
    }
    return residual <= good_residual ? std::optional(pair) : std::nullopt;
}

}  // namespace

Leading leading_by_decomposition(const BridgeOperator& H, Index count) {
    const MatrixXd K = H.root();
    if (K.rows() == 0) {  // H = 0: alpha = 0, and inputs and outputs have nothing in common
        return {.vectors = MatrixXd(H.size(), 0), .values = VectorXd(0)};
    }
    const ThinSvd svd = thin_svd(K);
    const VectorXd values = svd.d.array().square();
    Index rank = 0;
    while (rank < std::min(count, values.size()) && values[rank] > rank_limit(H) * values[0]) {
        ++rank;
    }
    return first_of(svd.V, values, rank);
}

std::optional<Leading> leading_by_iteration(const BridgeOperator& H, Index count) {
    MatrixXd vectors(H.size(), count);
    VectorXd values(count);
    Complement P(H.size());
    for (Index r = 0; r < count; ++r) {
        const VectorXd start = P.project(random_vector(H.size(), static_cast<std::uint64_t>(r))).normalized();
        const double least = r == 0 ? 0.0 : rank_limit(H) * values[0];
        const auto pair = leading_pair(Deflated(H, P), start, least);
        if (!pair) {
            return std::nullopt;
        }
        if (!(pair->value > least)) {
            return first_of(vectors, values, r);
        }
        values[r] = pair->value;
        vectors.col(r) = pair->vector;
        P.add(pair->vector);
    }
    return first_of(vectors, values, count);
}

Leading leading_eigenvectors(const BridgeOperator& H, Index count) {
    const Index side = std::min(H.size(), H.root_rows());
    if (side > std::max(small_side, sides_per_vector * count)) {
        if (auto found = leading_by_iteration(H, count)) {
            return *std::move(found);
        }
    }
    return leading_by_decomposition(H, count);
}

}  // namespace sluice::batch
