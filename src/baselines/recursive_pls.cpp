#include "recursive_pls.hpp"

#include <fmt/core.h>

#include <Eigen/Core>
#include <algorithm>

#include "as_index.hpp"
#include "kernel_pls.hpp"
#include "require_valid.hpp"

namespace sluice::baselines {

std::vector<std::string> RecursivePlsOptions::problems() const {
    std::vector<std::string> found;
    const bool forgets = forgetting >= 0.5 && forgetting <= 1.0;  // written so that NaN breaks the rule
    if (!forgets) {
        found.push_back(fmt::format("forgetting = {}: must be 0.5 to 1", forgetting));
    }
    if (components < 1) {
        found.emplace_back("components = 0: must be 1 or more");
    }
    if (solve_every < 1) {
        found.emplace_back("solve_every = 0: must be 1 or more");
    }
    return found;
}

RecursivePls::RecursivePls(std::size_t inputs, std::size_t outputs, RecursivePlsOptions options)
    : options_(options), predictor_(inputs, outputs, require_valid(options).forgetting), C_(inputs * inputs, 0.0) {}

void RecursivePls::learn(std::span<const double> x, std::span<const double> y) {
    if (predictor_.learn(x, y) && ++rows_ % options_.solve_every == 0) {
        solve();
    }
}

void RecursivePls::solve() {
    const WeightedMoments& moments = predictor_.moments();
    const auto p = as_index(moments.inputs());
    moments.lower_correlations(C_);
    const Eigen::Map<const Eigen::MatrixXd> C(C_.data(), p, p);
    Eigen::MatrixXd M(p, as_index(moments.outputs()));
    for (std::size_t k = 0; k < moments.outputs(); ++k) {
        moments.output_correlations(k, {M.col(as_index(k)).data(), moments.inputs()});
    }
    const Eigen::MatrixXd B = kernel_pls(
        std::move(M), std::min(as_index(options_.components), p),
        [](const Eigen::MatrixXd& left) -> Eigen::VectorXd { return (left * leading_right_vector(left)).normalized(); },
        [&](const Eigen::VectorXd& r) -> Eigen::VectorXd { return C.selfadjointView<Eigen::Lower>() * r; });
    for (std::size_t k = 0; k < moments.outputs(); ++k) {
        predictor_.set_coefficients(k, {B.col(as_index(k)).data(), moments.inputs()});
    }
}

}  // namespace sluice::baselines
