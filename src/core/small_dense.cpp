// small_dense.cpp -- the only source of the core that includes Eigen.
#include "small_dense.hpp"

#include <Eigen/Cholesky>
#include <Eigen/SVD>
#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>

#include "solve_kernels.hpp"

namespace sluice::core {

namespace {

using Eigen::Index;

// Up to this size plain loops cost less than calls that suit any size.
constexpr std::size_t kFewRows = 32;

Index as_index(std::size_t n) {
    return static_cast<Index>(n);
}

}  // namespace

void cholesky_in_place(std::span<double> A, std::size_t size) {
    assert(A.size() == size * size);
    if (size <= kFewRows) {
        (void)small_cholesky_in_place(A, size);
        return;
    }
    Eigen::Map<Eigen::MatrixXd> block(A.data(), as_index(size), as_index(size));
    const Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> in_place(block);
}

void cholesky_solve(std::span<const double> L, std::size_t size, std::span<double> X) {
    assert(L.size() == size * size);
    if (size <= kFewRows) {
        small_cholesky_solve(L, size, X);
        return;
    }
    const Eigen::Map<const Eigen::MatrixXd> factor(L.data(), as_index(size), as_index(size));
    for (std::size_t first = 0; first < X.size(); first += size) {
        Eigen::Map<Eigen::VectorXd> solution(X.data() + first, as_index(size));
        factor.triangularView<Eigen::Lower>().solveInPlace(solution);
        factor.triangularView<Eigen::Lower>().adjoint().solveInPlace(solution);
    }
}

void solve_with_ridge(std::span<const double> A, std::size_t size, double ridge, std::span<double> factor,
                      std::span<double> X) {
    assert(A.size() == size * size && factor.size() == A.size());
    if (size <= kernels::kMostRows) {
        kernels::solve_with_ridge(A.data(), size, ridge, X.data(), size > 0 ? X.size() / size : 0);
        return;
    }
    std::ranges::copy(A, factor.begin());
    for (std::size_t c = 0; c < size; ++c) {
        factor[(c * size) + c] += ridge;
    }
    cholesky_in_place(factor, size);
    cholesky_solve(factor, size, X);
}

// Column by column; each is then subtracted from those after it, entry below entry.
double small_cholesky_in_place(std::span<double> A, std::size_t size) {
    assert(A.size() == size * size);
    double least = std::numeric_limits<double>::infinity();
    double largest = 0.0;
    for (std::size_t c = 0; c < size; ++c) {
        double* own = A.data() + (c * size);
        if (!(own[c] > 0.0)) {
            return 0.0;
        }
        const double pivot = std::sqrt(own[c]);
        own[c] = pivot;
        least = std::min(least, pivot);
        largest = std::max(largest, pivot);
        for (std::size_t i = c + 1; i < size; ++i) {
            own[i] /= pivot;
        }
        for (std::size_t later = c + 1; later < size; ++later) {
            double* other = A.data() + (later * size);
            const double factor = own[later];
            for (std::size_t i = later; i < size; ++i) {
                other[i] -= factor * own[i];
            }
        }
    }
    return least / largest;
}

namespace {

// kColumns right sides at once: what one of them waits for is hidden by the others.
template <std::size_t kColumns>
void solve_columns(const double* L, std::size_t size, double* X) {
    const auto subtract = [&](std::size_t i, double factor, const std::array<double, kColumns>& known) {
        for (std::size_t k = 0; k < kColumns; ++k) {
            X[(k * size) + i] -= factor * known[k];
        }
    };
    const auto divide = [&](std::size_t c) {
        const double inverse = 1.0 / L[(c * size) + c];
        std::array<double, kColumns> known;  // NOLINT(cppcoreguidelines-pro-type-member-init): written next
        for (std::size_t k = 0; k < kColumns; ++k) {
            known[k] = X[(k * size) + c] *= inverse;
        }
        return known;
    };
    for (std::size_t c = 0; c < size; ++c) {
        const auto known = divide(c);
        for (std::size_t i = c + 1; i < size; ++i) {
            subtract(i, L[(c * size) + i], known);
        }
    }
    for (std::size_t c = size; c-- > 0;) {
        const auto known = divide(c);
        for (std::size_t i = 0; i < c; ++i) {
            subtract(i, L[(i * size) + c], known);
        }
    }
}

}  // namespace

void small_cholesky_solve(std::span<const double> L, std::size_t size, std::span<double> X) {
    assert(L.size() == size * size && X.size() % std::max<std::size_t>(size, 1) == 0);
    for (std::size_t done = 0; done < X.size();) {
        double* const first = X.data() + done;
        const std::size_t columns = std::min<std::size_t>(6, (X.size() - done) / size);
        switch (columns) {
            case 1:
                solve_columns<1>(L.data(), size, first);
                break;
            case 2:
                solve_columns<2>(L.data(), size, first);
                break;
            case 3:
                solve_columns<3>(L.data(), size, first);
                break;
            case 4:
                solve_columns<4>(L.data(), size, first);
                break;
            case 5:
                solve_columns<5>(L.data(), size, first);
                break;
            default:
                solve_columns<6>(L.data(), size, first);
                break;
        }
        done += columns * size;
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
