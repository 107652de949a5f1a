// regress.cpp -- from selected variables to predictions of the outputs.
//
//     W = (U'CU)^+ U'M,   beta = U W                                                                     eq. (3), (10)
//     W = s'y / s's                                                                                           eq. (20)
//     beta_S = (C_SS + (r/n) I)^-1 M_S                                       refit on the support S, not in the paper
//
//   code   paper   size     meaning
//   A      -       R R      U'C~U, or C~_SS plus the ridge, |S| x |S|
//   W      W       R q      loadings, in working units
//   beta   beta    |S| q    coefficients of the selected variables, in working units
//
// (r/n) is in units of the mean diagonal of C_SS, which is 1 when inputs are scaled: the refit does not depend on units.
// An output first seen late has a smaller weight n_k than the inputs' n: its column of M is brought to the same weight,
// M_k n / n_k, and it is shrunk by r / n_k.
#include "regress.hpp"

#include <Eigen/Cholesky>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>

namespace sluice::core {

namespace {

using Eigen::Index;
using MatrixMap = Eigen::Map<Eigen::MatrixXd>;

// Directions of U'CU whose strength is below this share of the strongest are rounding, not data.
constexpr double kRank = 1e-12;
// The least ridge: duplicate columns make C_SS singular, and this leaves ten digits of the others.
constexpr double kLeastRidge = 1e-10;

Index as_index(std::size_t n) {
    return static_cast<Index>(n);
}

// n / n_k, which brings a column of M to the weight of the inputs; 0 for an output never seen.
double weight_ratio(const Moments& moments, std::size_t k) {
    const double own = moments.output_weight(k);
    return own > 0.0 ? moments.weight() / own : 0.0;
}

}  // namespace

struct Regression::Scratch {
    std::vector<double> A;       // C~_SS
    std::vector<double> factor;  // its Cholesky factor, with the ridge
    Eigen::JacobiSVD<Eigen::MatrixXd> svd;
    Eigen::MatrixXd small;  // U'C~U
    Eigen::VectorXd along;  // one column of U'M~ in the singular directions
};

Regression::Regression(std::size_t inputs, const StreamOptions& options)
    : shrinkage_(options.shrinkage), scratch_(std::make_unique<Scratch>()) {
    const Index R = as_index(options.components_for(inputs));
    scratch_->svd = Eigen::JacobiSVD<Eigen::MatrixXd>(R, R, Eigen::ComputeFullU | Eigen::ComputeFullV);
    scratch_->small.resize(R, R);
    scratch_->along.resize(R);
}

Regression::~Regression() = default;
Regression::Regression(const Regression& other)
    : shrinkage_(other.shrinkage_), scratch_(std::make_unique<Scratch>(*other.scratch_)) {}
Regression& Regression::operator=(const Regression& other) {
    if (this != &other) {
        *this = Regression(other);
    }
    return *this;
}
Regression::Regression(Regression&&) noexcept = default;
Regression& Regression::operator=(Regression&&) noexcept = default;

void Regression::reserve(std::size_t variables) {
    scratch_->A.reserve(variables * variables);
    scratch_->factor.reserve(variables * variables);
}

void Regression::weighted_loadings(const Moments& moments, const Working& working,
                                   std::span<const Component> components, std::span<double> W) {
    const std::size_t R = components.size();
    const auto d = working.input_units();
    Eigen::MatrixXd& A = scratch_->small;
    for (std::size_t r = 0; r < R; ++r) {  // A = U'C~U from the supports' block of C~
        for (std::size_t s = 0; s <= r; ++s) {
            double sum = 0.0;
            for (const std::size_t j : components[r].support) {
                const auto column = moments.input_column(j);
                double row = 0.0;
                for (const std::size_t i : components[s].support) {
                    row += d[i] * components[s].u[i] * column[i];
                }
                sum += d[j] * components[r].u[j] * row;
            }
            A(as_index(r), as_index(s)) = sum;
            A(as_index(s), as_index(r)) = sum;
        }
    }
    scratch_->svd.compute(A);  // A is symmetric and not negative: its pseudo-inverse is V diag(1/sigma) U'
    const auto& sigma = scratch_->svd.singularValues();
    const double least = kRank * sigma(0);
    for (std::size_t k = 0; k < working.output_units().size(); ++k) {
        const auto column = working.cross_column(k);
        const double ratio = weight_ratio(moments, k);
        Eigen::VectorXd& along = scratch_->along;
        along.setZero();
        for (std::size_t r = 0; r < R; ++r) {
            double inner = 0.0;
            for (const std::size_t j : components[r].support) {
                inner += components[r].u[j] * column[j];
            }
            for (Index m = 0; m < as_index(R); ++m) {
                along(m) += scratch_->svd.matrixU()(as_index(r), m) * (inner * ratio);
            }
        }
        for (Index m = 0; m < as_index(R); ++m) {
            along(m) = sigma(m) > least ? along(m) / sigma(m) : 0.0;
        }
        for (std::size_t r = 0; r < R; ++r) {
            double sum = 0.0;
            for (Index m = 0; m < as_index(R); ++m) {
                sum += scratch_->svd.matrixV()(as_index(r), m) * along(m);
            }
            W[(k * R) + r] = sum;
        }
    }
}

void instant_loadings(std::span<const double> s, std::span<const double> y, std::span<double> W) {
    double square = 0.0;
    for (const double a : s) {
        square += a * a;
    }
    if (square == 0.0) {
        return;
    }
    for (std::size_t k = 0; k < y.size(); ++k) {
        for (std::size_t r = 0; r < s.size(); ++r) {
            W[(k * s.size()) + r] = s[r] * y[k] / square;
        }
    }
}

void Regression::combine(std::span<const Component> components, std::span<const double> W, std::size_t outputs,
                         Coefficients& out) {
    const std::size_t size = out.selected.size();
    out.beta.assign(size * outputs, 0.0);
    for (std::size_t k = 0; k < outputs; ++k) {
        for (std::size_t r = 0; r < components.size(); ++r) {
            for (std::size_t i = 0; i < size; ++i) {
                out.beta[(k * size) + i] += components[r].u[out.selected[i]] * W[(k * components.size()) + r];
            }
        }
    }
}

void Regression::refit(const Moments& moments, const Working& working, Coefficients& out) {
    const std::size_t size = out.selected.size();
    const std::size_t q = working.output_units().size();
    const auto d = working.input_units();
    scratch_->A.resize(size * size);
    scratch_->factor.resize(size * size);
    out.beta.resize(size * q);

    double diagonal = 0.0;
    for (std::size_t c = 0; c < size; ++c) {  // A = C~_SS
        const std::size_t j = out.selected[c];
        const auto column = moments.input_column(j);
        for (std::size_t i = 0; i < size; ++i) {
            scratch_->A[(c * size) + i] = d[out.selected[i]] * column[out.selected[i]] * d[j];
        }
        diagonal += scratch_->A[(c * size) + c];
    }
    const double unit = size > 0 ? diagonal / static_cast<double>(size) : 0.0;

    MatrixMap factor(scratch_->factor.data(), as_index(size), as_index(size));
    double factored_for = 0.0;  // n_k of the factor in hand: one serves all outputs of equal weight
    for (std::size_t k = 0; k < q; ++k) {
        const double n_k = moments.output_weight(k);
        const auto beta = std::span(out.beta).subspan(k * size, size);
        if (n_k == 0.0 || unit == 0.0) {  // never seen, or no variable has any variance
            std::ranges::fill(beta, 0.0);
            continue;
        }
        if (n_k != factored_for) {
            std::ranges::copy(scratch_->A, scratch_->factor.begin());
            factor.diagonal().array() += ridge(n_k) * unit;
            const Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> in_place(factor);
            factored_for = n_k;
        }
        const auto column = working.cross_column(k);
        const double ratio = weight_ratio(moments, k);
        for (std::size_t i = 0; i < size; ++i) {
            beta[i] = column[out.selected[i]] * ratio;
        }
        Eigen::Map<Eigen::VectorXd> solution(beta.data(), as_index(size));
        factor.triangularView<Eigen::Lower>().solveInPlace(solution);
        factor.triangularView<Eigen::Lower>().adjoint().solveInPlace(solution);
    }
}

double Regression::ridge(double n_k) const {
    return std::max(shrinkage_ / n_k, kLeastRidge);
}

double Regression::deflate(const Moments& moments, const Working& working, const Coefficients& fit,
                           std::span<double> left) {
    const auto d = working.input_units();
    const std::size_t p = d.size();
    const std::size_t size = fit.selected.size();
    double square = 0.0;
    for (std::size_t k = 0; k < working.output_units().size(); ++k) {
        const auto out = left.subspan(k * p, p);
        const double ratio = weight_ratio(moments, k);
        std::ranges::fill(out, 0.0);
        if (ratio > 0.0) {
            for (std::size_t c = 0; c < size; ++c) {
                const std::size_t j = fit.selected[c];
                const double factor = d[j] * fit.beta[(k * size) + c] / ratio;
                const auto column = moments.input_column(j);
                for (std::size_t i = 0; i < p; ++i) {
                    out[i] += factor * column[i];
                }
            }
        }
        const auto cross = working.cross_column(k);
        for (std::size_t i = 0; i < p; ++i) {
            out[i] = cross[i] - (d[i] * out[i]);
            square += out[i] * out[i];
        }
    }
    return square;
}

}  // namespace sluice::core
