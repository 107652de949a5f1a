// alternatives.cpp -- what else could be read off the same moments: fewer components, other shrinkages, and how much of
// the data the components explain. For those who choose among them while the stream runs (src/tune).
//
// A hold bonus b multiplies the direction's entries of favoured variables before the threshold and divides the weights
// after it, so that
//     u_j = sign(z_j) max(|z_j| - gamma / (1 + b), 0)      for these,       max(|z_j| - gamma, 0) for the others:
// eq. (19) with a lower threshold for what is already kept.
#include <algorithm>
#include <cmath>
#include <utility>

#include "state.hpp"
#include "step.hpp"

namespace sluice::core {

void Step::keep_alternatives(std::vector<double> shrinkages, bool prefixes) {
    alternatives_.prefixes = prefixes;
    alternatives_.by_components.resize(prefixes ? components_.size() : 0);
    alternatives_.shrinkages = std::move(shrinkages);
    alternatives_.by_shrinkage.resize(alternatives_.shrinkages.size());
    for (Coefficients& fit : alternatives_.by_components) {
        fit.selected.reserve(fit_.selected.capacity());
        fit.beta.reserve(fit_.beta.capacity());
    }
    for (auto& beta : alternatives_.by_shrinkage) {
        beta.reserve(fit_.beta.capacity());
    }
}

void Step::use_components(const Moments& moments, std::size_t count) {
    active_ = std::clamp<std::size_t>(count, 1, components_.size());
    fit_ = alternatives_.by_components[active_ - 1];
    if (!alternatives_.shrinkages.empty()) {
        regression_.refit_each(moments, working_, fit_.selected, alternatives_.shrinkages, alternatives_.by_shrinkage);
        const auto place = std::ranges::find(alternatives_.shrinkages, regression_.shrinkage());
        if (place != alternatives_.shrinkages.end()) {  // it may have been chosen since the last row
            fit_.beta = alternatives_.by_shrinkage[static_cast<std::size_t>(place - alternatives_.shrinkages.begin())];
        }
    } else if (!refit_ && !fit_.selected.empty()) {
        regression_.weighted_loadings(moments, working_, components(), fit_.selected, W_);
    }
}

void Step::use_shrinkage(std::size_t place) {
    regression_.use_shrinkage(alternatives_.shrinkages[place]);
    fit_.beta = alternatives_.by_shrinkage[place];
}

void Step::lift_favoured(const Component& component) {
    if (options_.hold_bonus > 0.0 && !refit_) {  // each component holds its own
        favoured_ = component.support;
    }
    for (const std::size_t j : favoured_) {
        direction_[j] *= 1.0 + options_.hold_bonus;
    }
}

void Step::lower_favoured(Component& component) const {
    if (favoured_.empty()) {
        return;
    }
    double square = 0.0;
    for (const std::size_t j : component.support) {
        if (std::ranges::binary_search(favoured_, j)) {
            component.u[j] /= 1.0 + options_.hold_bonus;
        }
        square += component.u[j] * component.u[j];
    }
    const double length = std::sqrt(square);
    for (const std::size_t j : component.support) {
        component.u[j] /= length;
    }
}

// With deflation = project: W and beta of the first 1, 2, .. components; those of the active ones predict.
void Step::fit_prefixes(const Moments& moments) {
    const std::size_t q = inner_.size();
    const std::size_t R = components_.size();
    prefix_W_.resize(R * (R + 1) / 2 * q);
    const bool nested = regression_.nested_loadings(moments, working_, components_, fit_.selected, prefix_W_);
    fit_.selected.clear();
    for (std::size_t r = 1; r <= R; ++r) {
        unite(fit_.selected, components_[r - 1].support, scratch_);
        Coefficients& fit = alternatives_.by_components[r - 1];
        fit.selected = fit_.selected;
        const auto first = std::span<const Component>(components_).first(r);
        const auto W = std::span(prefix_W_).subspan(r * (r - 1) / 2 * q, r * q);
        if (!nested) {
            regression_.weighted_loadings(moments, working_, first, fit.selected, W);
        }
        Regression::combine(first, W, q, fit);
        if (r == active_) {
            std::ranges::copy(W, W_.begin());
        }
    }
    fit_ = alternatives_.by_components[active_ - 1];
}

double Step::explained_covariance(const Moments& moments) {
    if (working_.cross_square() <= 0.0) {
        return 0.0;
    }
    double sum = 0.0;
    for (const Component& component : components()) {
        scaled_weights(moments, working_, component, scaled_);
        inner_product(moments, working_, component.support, scaled_, inner_);
        for (const double g : inner_) {
            sum += g * g;
        }
    }
    return std::min(sum / working_.cross_square(), 1.0);
}

void Step::explained_by_components(const Moments& moments, std::span<double> covariance, std::span<double> energy) {
    double along = 0.0;
    double retained = 0.0;
    for (std::size_t r = 0; r < components_.size(); ++r) {
        const Component& component = components_[r];
        scaled_weights(moments, working_, component, scaled_);
        inner_product(moments, working_, component.support, scaled_, inner_);
        for (const double g : inner_) {
            along += g * g;
        }
        if (!component.support.empty() &&
            moments.gram().prepare(component.support, moments.input_squares(), moments.workers())) {
            z_.resize(component.support.size());
            moments.gram().multiply_at(component.support, scaled_, component.support, z_);
            for (std::size_t i = 0; i < z_.size(); ++i) {
                retained += scaled_[i] * z_[i];
            }
        }
        covariance[r] = working_.cross_square() > 0.0 ? std::min(along / working_.cross_square(), 1.0) : 0.0;
        energy[r] = working_.input_trace() > 0.0 ? std::min(retained / working_.input_trace(), 1.0) : 0.0;
    }
}

double Step::akaike(const Moments& moments) {
    const double n = std::max(moments.weight(), 1.0);
    const std::size_t size = fit_.selected.size();
    double sum = 0.0;
    for (std::size_t k = 0; k < inner_.size(); ++k) {
        const double left = regression_.share_left(moments, working_, fit_, k);
        sum += n * std::log(std::max(left, 1e-12)) + (2.0 * static_cast<double>(size));
    }
    return sum;
}

void Step::save_alternatives(StateWriter& out) const {
    out.put(static_cast<std::uint64_t>(active_));
    out.put(regression_.shrinkage());
    for (const Coefficients& fit : alternatives_.by_components) {
        out.put_list(fit.selected);
        out.put_all(fit.beta);
    }
    for (const auto& beta : alternatives_.by_shrinkage) {
        out.put_all(beta);
    }
}

void Step::load_alternatives(StateReader& in) {
    std::uint64_t active = 0;
    double shrinkage = 0.0;
    in.get(active);
    in.get(shrinkage);
    in.require(active >= 1 && active <= components_.size() && (alternatives_.prefixes || active == components_.size()),
               "it uses components that it has not");
    in.require(shrinkage >= 0.0, "its shrinkage is negative");
    active_ = active;
    regression_.use_shrinkage(shrinkage);
    for (Coefficients& fit : alternatives_.by_components) {
        get_places(in, fit.selected);
        fit.beta.resize(fit.selected.size() * inner_.size());
        in.get_all(fit.beta);
    }
    for (auto& beta : alternatives_.by_shrinkage) {
        beta.resize(fit_.beta.size());
        in.get_all(beta);
    }
}

}  // namespace sluice::core
