#include "readings.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "gram.hpp"
#include "state.hpp"

namespace sluice::tune {

Readings::Readings(std::size_t inputs, std::size_t outputs, const StreamOptions& options,
                   std::vector<double> shrinkages, bool by_components)
    : p_(inputs),
      q_(outputs),
      shrinkages_(std::move(shrinkages)),
      by_components_(by_components ? options.components_for(inputs) : 0),
      by_shrinkage_(shrinkages_.size()),
      regression_(inputs, options),
      inner_(outputs, 0.0) {
    const std::size_t most = options.gamma ? 0 : core::most_selected(inputs, options);
    for (core::Coefficients& fit : by_components_) {
        fit.selected.reserve(inputs);
        fit.beta.reserve(most * outputs);
    }
    for (auto& beta : by_shrinkage_) {
        beta.reserve(most * outputs);
    }
    regression_.reserve(most);
    scaled_.reserve(inputs);
    products_.reserve(inputs);
}

void Readings::update(const core::Moments& moments, const core::WorkingUnits& units, const core::Step& step) {
    if (shrinkages_.empty()) {
        return;
    }
    if (!units.anything_varies()) {
        std::ranges::for_each(by_shrinkage_, [](auto& beta) { beta.clear(); });
        return;
    }
    regression_.refit_each(moments, units, step.fit().selected, shrinkages_, by_shrinkage_);
}

void Readings::save(const core::Step& step, core::StateWriter& out) const {
    out.put(static_cast<std::uint64_t>(step.components().size()));
    out.put(step.regression().shrinkage());
    for (const core::Coefficients& fit : by_components_) {
        out.put_list(fit.selected);
        out.put_all(fit.beta);
    }
    for (const auto& beta : by_shrinkage_) {
        out.put_all(beta);
    }
}

Readings::InUse Readings::load(const core::Step& step, core::StateReader& in) {
    const std::size_t components = step.all_components().size();
    std::uint64_t active = 0;
    double shrinkage = 0.0;
    in.get(active);
    in.get(shrinkage);
    in.require(active >= 1 && active <= components, "it predicts with more components than it has");
    in.require(!by_components_.empty() || active == components,
               "it predicts with fewer components than it has, although their number is not tuned");
    in.require(shrinkage >= 0.0, "its shrinkage is negative");
    for (core::Coefficients& fit : by_components_) {
        core::Step::get_variables(in, p_, fit.selected);
        fit.beta.resize(fit.selected.size() * q_);
        in.get_all(fit.beta);
    }
    for (auto& beta : by_shrinkage_) {
        beta.resize(step.fit().beta.size());
        in.get_all(beta);
    }
    return {.components = active, .shrinkage = shrinkage};
}

void Readings::explained_by_components(const core::Moments& moments, const core::WorkingUnits& units,
                                       const core::Step& step, std::span<double> covariance, std::span<double> energy) {
    const core::InputMoments& inputs = moments.inputs;
    double along = 0.0;
    double retained = 0.0;
    for (std::size_t r = 0; r < step.all_components().size(); ++r) {
        const core::Component& component = step.all_components()[r];
        core::scaled_weights(moments, units, component, scaled_);
        core::inner_product(moments, units, component.support, scaled_, inner_);
        for (const double g : inner_) {
            along += g * g;
        }
        if (!component.support.empty() &&
            inputs.gram().prepare(component.support, inputs.squares(), inputs.workers())) {
            products_.resize(component.support.size());
            inputs.gram().multiply_at(component.support, scaled_, component.support, products_);
            for (std::size_t i = 0; i < products_.size(); ++i) {
                retained += scaled_[i] * products_[i];
            }
        }
        covariance[r] = units.cross_square() > 0.0 ? std::min(along / units.cross_square(), 1.0) : 0.0;
        energy[r] = units.input_trace() > 0.0 ? std::min(retained / units.input_trace(), 1.0) : 0.0;
    }
}

double Readings::akaike(const core::Moments& moments, const core::WorkingUnits& units, const core::Step& step) {
    const double n = std::max(moments.inputs.weight(), 1.0);
    double sum = 0.0;
    for (std::size_t k = 0; k < moments.outputs.size(); ++k) {
        const double left = regression_.share_left(moments, units, step.fit(), k);
        sum += (n * std::log(std::max(left, 1e-12))) + (2.0 * static_cast<double>(step.fit().selected.size()));
    }
    return sum;
}

}  // namespace sluice::tune
