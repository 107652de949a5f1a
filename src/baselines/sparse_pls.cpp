#include "sparse_pls.hpp"

#include <fmt/core.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "as_index.hpp"
#include "kernel_pls.hpp"
#include "require_valid.hpp"
#include "share_of_names.hpp"

namespace sluice::baselines {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// The alternation of u and v rests when u moves less than this. With one output it rests after the first step.
constexpr double kRests = 1e-10;
constexpr int kMostAlternations = 100;
// What a kept entry keeps at least, where the next one is as large as it is.
constexpr double kKeptInTies = 1e-9;

// Finds the sparse weights of one component after the other, and remembers which inputs are in use.
class SparseWeights {
  public:
    explicit SparseWeights(Index inputs) : used_(static_cast<std::size_t>(inputs), 0) {}

    // The next component: weights of unit length with at most `share` inputs that are not in use yet.
    VectorXd next(const MatrixXd& M, std::size_t share) {
        VectorXd v = leading_right_vector(M);
        VectorXd u = VectorXd::Zero(M.rows());
        for (int pass = 0; pass < kMostAlternations; ++pass) {
            const VectorXd before = u;
            u = threshold(M * v, share).normalized();
            if (M.cols() == 1 || (u - before).norm() < kRests) {
                break;
            }
            v = (M.transpose() * u).normalized();
        }
        for (Index j = 0; j < u.size(); ++j) {
            if (u[j] != 0.0) {
                used_[static_cast<std::size_t>(j)] = 1;
            }
        }
        return u;
    }

  private:
    // g(z), with gamma the largest |z_j| that must go.
    VectorXd threshold(const VectorXd& z, std::size_t share) {
        fresh_.clear();
        for (Index j = 0; j < z.size(); ++j) {
            if (used_[static_cast<std::size_t>(j)] == 0 && z[j] != 0.0) {
                fresh_.push_back(j);
            }
        }
        double gamma = 0.0;
        if (fresh_.size() > share) {
            const auto last = fresh_.begin() + static_cast<std::ptrdiff_t>(share);
            std::ranges::nth_element(fresh_, last, [&](Index one, Index other) {
                const double a = std::abs(z[one]);
                const double b = std::abs(z[other]);
                return a > b || (a == b && one < other);
            });
            gamma = std::abs(z[*last]);
            fresh_.erase(last, fresh_.end());
        }
        VectorXd u = VectorXd::Zero(z.size());
        for (Index j = 0; j < z.size(); ++j) {
            if (used_[static_cast<std::size_t>(j)] != 0 && std::abs(z[j]) > gamma) {
                u[j] = std::copysign(std::abs(z[j]) - gamma, z[j]);
            }
        }
        for (const Index j : fresh_) {
            u[j] = std::copysign(std::max(std::abs(z[j]) - gamma, kKeptInTies * std::abs(z[j])), z[j]);
        }
        return u;
    }

    std::vector<char> used_;
    std::vector<Index> fresh_;
};

}  // namespace

std::vector<std::string> SparsePlsOptions::problems() const {
    std::vector<std::string> found;
    const bool forgets = forgetting >= 0.5 && forgetting <= 1.0;  // written so that NaN breaks the rule
    if (!forgets) {
        found.push_back(fmt::format("forgetting = {}: must be 0.5 to 1", forgetting));
    }
    if (components < 1) {
        found.emplace_back("components = 0: must be 1 or more");
    }
    if (names < 1) {
        found.emplace_back("names = 0: must be 1 or more");
    }
    if (solve_every < 1) {
        found.emplace_back("solve_every = 0: must be 1 or more");
    }
    return found;
}

SparsePls::SparsePls(std::size_t inputs, std::size_t outputs, SparsePlsOptions options)
    : options_(options), predictor_(inputs, outputs, require_valid(options).forgetting) {}

void SparsePls::learn(std::span<const double> x, std::span<const double> y) {
    if (predictor_.learn(x, y) && ++rows_ % options_.solve_every == 0) {
        solve();
    }
}

void SparsePls::solve() {
    const WeightedMoments& moments = predictor_.moments();
    const std::size_t p = moments.inputs();
    const std::size_t R = std::min({options_.components, options_.names, p});
    MatrixXd M(as_index(p), as_index(moments.outputs()));
    for (std::size_t k = 0; k < moments.outputs(); ++k) {
        moments.output_correlations(k, {M.col(as_index(k)).data(), p});
    }
    SparseWeights sparse(as_index(p));
    std::size_t h = 0;
    VectorXd column(as_index(p));
    const MatrixXd B = kernel_pls(
        std::move(M), as_index(R),
        [&](const MatrixXd& left) { return sparse.next(left, share_of_names(options_.names, R, h++)); },
        [&](const VectorXd& r) {
            VectorXd Cr = VectorXd::Zero(as_index(p));
            for (std::size_t j = 0; j < p; ++j) {
                if (r[as_index(j)] != 0.0) {
                    moments.correlations(j, {column.data(), p});
                    Cr += r[as_index(j)] * column;
                }
            }
            return Cr;
        });
    for (std::size_t k = 0; k < moments.outputs(); ++k) {
        predictor_.set_coefficients(k, {B.col(as_index(k)).data(), p});
    }
}

std::size_t SparsePls::bytes() const noexcept {
    return predictor_.bytes();
}

}  // namespace sluice::baselines
