#include "moment_ridge.hpp"

#include <fmt/core.h>

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include "as_index.hpp"
#include "require_valid.hpp"

namespace sluice::baselines {

std::vector<std::string> MomentRidgeOptions::problems() const {
    std::vector<std::string> found;
    const bool forgets = forgetting >= 0.5 && forgetting <= 1.0;  // written so that NaN breaks the rule
    const bool shrinks = shrinkage >= 1e-9 && shrinkage <= 1e9;
    if (!forgets) {
        found.push_back(fmt::format("forgetting = {}: must be 0.5 to 1", forgetting));
    }
    if (!shrinks) {
        found.push_back(fmt::format("shrinkage = {}: must be 1e-9 to 1e9", shrinkage));
    }
    if (solve_every < 1) {
        found.emplace_back("solve_every = 0: must be 1 or more");
    }
    return found;
}

MomentRidge::MomentRidge(std::size_t inputs, std::size_t outputs, MomentRidgeOptions options)
    : options_(options),
      predictor_(inputs, outputs, require_valid(options).forgetting),
      R_(inputs * inputs, 0.0),
      b_(inputs, 0.0) {}

std::size_t MomentRidge::bytes() const noexcept {
    return predictor_.bytes() + ((R_.size() + b_.size()) * sizeof(double));
}

void MomentRidge::learn(std::span<const double> x, std::span<const double> y) {
    if (predictor_.learn(x, y) && ++rows_ % options_.solve_every == 0) {
        solve();
    }
}

void MomentRidge::solve() {
    const WeightedMoments& moments = predictor_.moments();
    const Eigen::Index p = as_index(moments.inputs());
    moments.lower_correlations(R_);
    Eigen::Ref<Eigen::MatrixXd> R = Eigen::Map<Eigen::MatrixXd>(R_.data(), p, p);
    R.diagonal().array() += options_.shrinkage;
    // R is positive semidefinite but for rounding, which is some p 1e-16, and kappa is 1e-9 or more.
    const Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> factor(R);  // in place
    Eigen::Map<Eigen::VectorXd> b(b_.data(), p);
    for (std::size_t k = 0; k < moments.outputs(); ++k) {
        moments.output_correlations(k, b_);
        factor.solveInPlace(b);
        predictor_.set_coefficients(k, b_);
    }
}

}  // namespace sluice::baselines
