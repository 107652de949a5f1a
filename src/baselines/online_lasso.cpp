#include "online_lasso.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "refit_selected.hpp"
#include "require_valid.hpp"
#include "share_of_names.hpp"

namespace sluice::baselines {

namespace {

// A penalty below this shrinks nothing that rounding and the tolerance of the descent would not hide.
constexpr double kSmallestPenalty = 1e-5;
// Below this a residual is rounding: AIC does not reward it.
constexpr double kSmallestResidual = 1e-10;
// Numbers of step sizes that take turns, from row to row. Long steps up are cheap, those down would find many inputs.
constexpr std::uint64_t kScalesUp = 7;
constexpr std::uint64_t kScalesDown = 4;

// c, c^2, c^4, ...
double step_of_row(double c, std::uint64_t row, std::uint64_t scales) {
    for (std::uint64_t i = row % scales; i > 0; --i) {
        c *= c;
    }
    return c;
}

}  // namespace

std::vector<std::string> OnlineLassoOptions::problems() const {
    std::vector<std::string> found;
    const bool forgets = forgetting >= 0.5 && forgetting <= 1.0;  // written so that NaN breaks the rule
    const bool starts = first_penalty > 0.0 && first_penalty <= 1.0;
    const bool moves = step > 1.0 && step <= 10.0;
    const bool shrinks = shrinkage >= 1e-12 && shrinkage <= 1e12;
    if (!forgets) {
        found.push_back(fmt::format("forgetting = {}: must be 0.5 to 1", forgetting));
    }
    if (names < 1) {
        found.emplace_back("names = 0: must be 1 or more");
    }
    if (!starts) {
        found.push_back(fmt::format("first_penalty = {}: must be above 0 and at most 1", first_penalty));
    }
    if (!moves) {
        found.push_back(fmt::format("step = {}: must be above 1 and at most 10", step));
    }
    if (!shrinks) {
        found.push_back(fmt::format("shrinkage = {}: must be 1e-12 to 1e12", shrinkage));
    }
    return found;
}

OnlineLasso::OnlineLasso(std::size_t inputs, std::size_t outputs, OnlineLassoOptions options)
    : options_(require_valid(options)),
      predictor_(inputs, outputs, options.forgetting),
      columns_(inputs),
      points_(outputs, {.b = std::vector<double>(inputs, 0.0),
                        .c = std::vector<double>(inputs, 0.0),
                        .gamma = options.first_penalty}),
      r_(inputs, 0.0),
      b_(inputs, 0.0) {}

std::size_t OnlineLasso::bytes() const noexcept {
    return predictor_.bytes() + columns_.bytes() + ((((points_.size() + 2) * 2) + 3) * b_.size() * sizeof(double));
}

void OnlineLasso::learn(std::span<const double> x, std::span<const double> y) {
    if (!predictor_.learn(x, y)) {
        return;
    }
    ++rows_;
    columns_.renew();
    for (std::size_t k = 0; k < points_.size(); ++k) {
        adapt(k);
    }
}

void OnlineLasso::fit(const LassoPoint& point) {
    selected_.clear();
    for (std::size_t j = 0; j < point.b.size(); ++j) {
        if (point.b[j] != 0.0) {
            selected_.push_back(j);
        }
    }
    b_ = point.b;
    if (options_.refit) {
        refit_selected(predictor_.moments(), columns_, selected_, options_.shrinkage, r_, b_);
    }
}

// AIC of the fit that would predict. After a refit R b = r - kappa b on the selected inputs.
double OnlineLasso::criterion(const LassoPoint& point) {
    double residual = point.residual(r_);
    if (options_.refit) {
        fit(point);
        residual = 1.0;
        for (const std::size_t j : selected_) {
            residual -= b_[j] * (r_[j] + (options_.shrinkage * b_[j]));
        }
    }
    const double n = predictor_.moments().weight();
    return (n * std::log(std::max(residual, kSmallestResidual))) + (2.0 * static_cast<double>(point.names()));
}

void OnlineLasso::adapt(std::size_t output) {
    const WeightedMoments& moments = predictor_.moments();
    const std::size_t share = share_of_names(options_.names, points_.size(), output);
    LassoPoint& now = points_[output];
    moments.output_correlations(output, r_);
    refresh_correlations(moments, columns_, r_, now);
    shoot(moments, columns_, {}, now);
    while (now.names() > share && now.gamma < 1.0) {
        now.gamma = std::min(1.0, now.gamma * options_.step);
        shoot(moments, columns_, {}, now);
    }
    if (now.names() > share) {  // correlations of 1, and an output without a share
        std::ranges::fill(now.b, 0.0);
        std::ranges::copy(r_, now.c.begin());
    }
    lower_ = now;
    lower_.gamma = std::max(kSmallestPenalty, now.gamma / step_of_row(options_.step, rows_, kScalesDown));
    shoot(moments, columns_, {}, lower_);
    higher_ = now;
    higher_.gamma = std::min(1.0, now.gamma * step_of_row(options_.step, rows_, kScalesUp));
    shoot(moments, columns_, {}, higher_);
    double best = criterion(now);
    for (LassoPoint* candidate : {&lower_, &higher_}) {
        if (candidate->names() > share) {
            continue;
        }
        const double value = criterion(*candidate);
        // Equal where both select the same inputs: then the penalty moves down, to where the next input would enter.
        if (candidate == &lower_ ? value <= best : value < best) {
            best = value;
            std::swap(now, *candidate);
        }
    }
    fit(now);
    predictor_.set_coefficients(output, b_);
}

}  // namespace sluice::baselines
