#include "online_lars.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "lars.hpp"
#include "refit_selected.hpp"
#include "require_valid.hpp"
#include "share_of_names.hpp"

namespace sluice::baselines {

std::vector<std::string> OnlineLarsOptions::problems() const {
    std::vector<std::string> found;
    const bool forgets = forgetting >= 0.5 && forgetting <= 1.0;  // written so that NaN breaks the rule
    const bool shrinks = shrinkage >= 1e-12 && shrinkage <= 1e12;
    if (!forgets) {
        found.push_back(fmt::format("forgetting = {}: must be 0.5 to 1", forgetting));
    }
    if (names < 1) {
        found.emplace_back("names = 0: must be 1 or more");
    }
    if (select_every < 1) {
        found.emplace_back("select_every = 0: must be 1 or more");
    }
    if (!shrinks) {
        found.push_back(fmt::format("shrinkage = {}: must be 1e-12 to 1e12", shrinkage));
    }
    return found;
}

OnlineLars::OnlineLars(std::size_t inputs, std::size_t outputs, OnlineLarsOptions options)
    : options_(require_valid(options)),
      predictor_(inputs, outputs, options.forgetting),
      columns_(inputs),
      squares_(inputs, 0.0),
      r_(inputs, 0.0),
      b_(inputs, 0.0) {}

std::size_t OnlineLars::bytes() const noexcept {
    return predictor_.bytes() + columns_.bytes() + (3 * b_.size() * sizeof(double));
}

void OnlineLars::learn(std::span<const double> x, std::span<const double> y) {
    if (!predictor_.learn(x, y) || ++rows_ % options_.select_every != 0) {
        return;
    }
    columns_.renew();
    for (std::size_t j = 0; j < squares_.size(); ++j) {
        squares_[j] = predictor_.moments().correlation_square(j);
    }
    for (std::size_t k = 0; k < predictor_.moments().outputs(); ++k) {
        select(k);
    }
}

void OnlineLars::select(std::size_t output) {
    const WeightedMoments& moments = predictor_.moments();
    moments.output_correlations(output, r_);
    const GramColumn column = [&](std::size_t j, std::span<double> out) {
        std::ranges::copy(columns_.column(moments, j), out.begin());
    };
    const std::size_t share = share_of_names(options_.names, moments.outputs(), output);
    const Path path = lars(column, squares_, r_, {.variant = LarsVariant::lar, .max_names = share, .max_knots = 0});
    std::ranges::fill(b_, 0.0);
    refit_selected(moments, columns_, path.active, options_.shrinkage, r_, b_);
    predictor_.set_coefficients(output, b_);
}

}  // namespace sluice::baselines
