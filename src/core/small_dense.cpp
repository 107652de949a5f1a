// small_dense.cpp -- the only source of the core that includes Eigen.
#include "small_dense.hpp"

#include <Eigen/Cholesky>
#include <Eigen/SVD>
#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace sluice::core {

namespace {

using Eigen::Index;

Index as_index(std::size_t n) {
    return static_cast<Index>(n);
}

}  // namespace

void cholesky_in_place(std::span<double> A, std::size_t size) {
    assert(A.size() == size * size);
    Eigen::Map<Eigen::MatrixXd> block(A.data(), as_index(size), as_index(size));
    const Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> in_place(block);
}

void cholesky_solve(std::span<const double> L, std::span<double> x) {
    assert(L.size() == x.size() * x.size());
    const Eigen::Map<const Eigen::MatrixXd> factor(L.data(), as_index(x.size()), as_index(x.size()));
    Eigen::Map<Eigen::VectorXd> solution(x.data(), as_index(x.size()));
    factor.triangularView<Eigen::Lower>().solveInPlace(solution);
    factor.triangularView<Eigen::Lower>().adjoint().solveInPlace(solution);
}

double small_cholesky_in_place(std::span<double> A, std::size_t size) {
    assert(A.size() == size * size);
    const auto at = [&](std::size_t i, std::size_t c) -> double& { return A[(c * size) + i]; };
    double least = std::numeric_limits<double>::infinity();
    double largest = 0.0;
    for (std::size_t c = 0; c < size; ++c) {
        double square = at(c, c);
        for (std::size_t m = 0; m < c; ++m) {
            square -= at(c, m) * at(c, m);
        }
        if (!(square > 0.0)) {
            return 0.0;
        }
        at(c, c) = std::sqrt(square);
        least = std::min(least, at(c, c));
        largest = std::max(largest, at(c, c));
        for (std::size_t i = c + 1; i < size; ++i) {
            double sum = at(i, c);
            for (std::size_t m = 0; m < c; ++m) {
                sum -= at(i, m) * at(c, m);
            }
            at(i, c) = sum / at(c, c);
        }
    }
    return least / largest;
}

void small_cholesky_solve(std::span<const double> L, std::span<double> x) {
    const std::size_t size = x.size();
    assert(L.size() == size * size);
    const auto at = [&](std::size_t i, std::size_t c) { return L[(c * size) + i]; };
    for (std::size_t i = 0; i < size; ++i) {
        for (std::size_t m = 0; m < i; ++m) {
            x[i] -= at(i, m) * x[m];
        }
        x[i] /= at(i, i);
    }
    for (std::size_t i = size; i-- > 0;) {
        for (std::size_t m = i + 1; m < size; ++m) {
            x[i] -= at(m, i) * x[m];
        }
        x[i] /= at(i, i);
    }
}

namespace {

// A square matrix needs no QR decomposition before its rotations; leaving it out halves the time to compile.
using SquareSvd = Eigen::JacobiSVD<Eigen::MatrixXd, Eigen::NoQRPreconditioner>;

}  // namespace

void square_svd(std::span<const double> A, std::span<double> U, std::span<double> d, std::span<double> V) {
    const Index n = as_index(d.size());
    assert(A.size() == d.size() * d.size() && U.size() == A.size() && V.size() == A.size());
    const SquareSvd svd(Eigen::Map<const Eigen::MatrixXd>(A.data(), n, n), Eigen::ComputeFullU | Eigen::ComputeFullV);
    std::ranges::copy_n(svd.matrixU().data(), svd.matrixU().size(), U.begin());
    std::ranges::copy_n(svd.singularValues().data(), n, d.begin());
    std::ranges::copy_n(svd.matrixV().data(), svd.matrixV().size(), V.begin());
}

// A smaller matrix is padded with zeros, so that no size changes and nothing is allocated again.
struct PseudoInverse::Decomposition {
    SquareSvd svd;
    Eigen::MatrixXd padded;  // A
    Eigen::VectorXd whole;   // x
    Eigen::VectorXd along;   // x in the singular directions
};

PseudoInverse::PseudoInverse(std::size_t largest) : decomposition_(std::make_unique<Decomposition>()) {
    const Index n = as_index(largest);
    decomposition_->svd = SquareSvd(n, n, Eigen::ComputeFullU | Eigen::ComputeFullV);
    decomposition_->padded.resize(n, n);
    decomposition_->whole.resize(n);
    decomposition_->along.resize(n);
}

PseudoInverse::~PseudoInverse() = default;
PseudoInverse::PseudoInverse(const PseudoInverse& other)
    : decomposition_(std::make_unique<Decomposition>(*other.decomposition_)) {}
PseudoInverse& PseudoInverse::operator=(const PseudoInverse& other) {
    if (this != &other) {
        *this = PseudoInverse(other);
    }
    return *this;
}
PseudoInverse::PseudoInverse(PseudoInverse&&) noexcept = default;
PseudoInverse& PseudoInverse::operator=(PseudoInverse&&) noexcept = default;

void PseudoInverse::compute(std::span<const double> A, std::size_t size) {
    auto& [svd, padded, whole, along] = *decomposition_;
    assert(A.size() == size * size && as_index(size) <= padded.rows());
    padded.setZero();
    padded.topLeftCorner(as_index(size), as_index(size)) =
        Eigen::Map<const Eigen::MatrixXd>(A.data(), as_index(size), as_index(size));
    svd.compute(padded);
}

// A = U diag(sigma) V', symmetric and not negative: A^+ = V diag(1/sigma) U'
void PseudoInverse::solve(std::span<double> x, double least) {
    auto& [svd, padded, whole, along] = *decomposition_;
    Eigen::Map<Eigen::VectorXd> part(x.data(), as_index(x.size()));
    const auto& sigma = svd.singularValues();
    whole.setZero();
    whole.head(part.size()) = part;
    along.noalias() = svd.matrixU().transpose() * whole;
    for (Index m = 0; m < along.size(); ++m) {
        along(m) = sigma(m) > least * sigma(0) ? along(m) / sigma(m) : 0.0;
    }
    whole.noalias() = svd.matrixV() * along;
    part = whole.head(part.size());
}

}  // namespace sluice::core
