// step.cpp -- from moments to selected variables and coefficients: the loop over the components of Algorithm 2.
//
//     for r = 1 .. R:
//       a = H u^(r),  H = alpha C + (1 - alpha) M M'                           eq. (16), (17)   find_direction
//       q = (I - P) a                                                          eq. (18)         remove_explained
//       u^(r) = threshold(q / |q|), of unit length                             eq. (19)         choose_variables
//     W = (U'CU)^+ U'M  or  s'y / s's,   beta = U W                            eq. (10), (20)   fit_loadings
//
// With `deflation = refit` there is no projection: between two components M gives way to M - C_S beta_S, where beta_S is the
// least-squares fit on the variables S selected so far, and the last beta_S predicts.
//
// Where the paper is silent: it starts from U = I, so a first input that is constant would keep H u = 0 for ever. A component
// without a direction starts from input r, and where that gives nothing, from the input with the largest cross-moments. A
// component whose vector vanishes keeps its last direction and reports it.
//
// The dense direction is needed only where its entries are large: those that are chosen, and the next one. With many
// inputs the screen finds the few that count (screen.cpp); else all are computed and narrowed down (narrowing.cpp).
#include "step.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

#include "engine.hpp"
#include "kernels.hpp"

namespace sluice::core {

namespace {

// What projection or deflation leaves, relative to what was there, below which it is rounding and not data.
constexpr double kVanished = 1e-12;

// An entry of a direction that projection has brought below this share of the largest is zero but for rounding.
constexpr double kSpeck = 1e-14;

bool is_screened(std::size_t inputs, std::size_t outputs, const StreamOptions& options) {
    return may_be_screened(options) && plan_engine(inputs, outputs, options) != Engine::dense;
}

}  // namespace

Step::Step(std::size_t inputs, std::size_t outputs, const StreamOptions& options)
    : options_(options),
      p_(inputs),
      refit_(options.deflation == Deflation::refit),
      may_be_screened_(may_be_screened(options)),
      screens_(is_screened(inputs, outputs, options)),
      sparsifier_(inputs, options),
      span_(refit_ ? 0 : inputs, refit_ ? 0 : options.components_for(inputs)),
      regression_(inputs, options),
      screen_(inputs, outputs, options),
      narrowing_(inputs, options, screens_),
      hold_bonus_(inputs, options),
      components_(options.components_for(inputs)),
      W_(components_.size() * outputs, 0.0),
      seed_{.u = std::vector<double>(inputs, 0.0), .support = {}},
      direction_(padded(inputs)),
      along_(padded(inputs)),
      input_part_(padded(inputs)),
      input_weights_(padded(inputs)),
      input_roots_(padded(inputs)),
      explained_(refit_ ? column_stride(inputs) * outputs : 0),
      inner_(outputs, 0.0),
      scaled_inner_(outputs, 0.0),
      scores_(components_.size(), 0.0) {
    for (Component& component : components_) {
        component.u.assign(inputs, 0.0);
        component.support.reserve(inputs);
    }
    for (auto* list : {&fit_.selected, &path_.selected, &scratch_, &candidates_, &asked_}) {
        list->reserve(inputs);
    }
    z_.reserve(inputs);
    if (!options.gamma) {  // else the largest selection is known only when it was met
        const std::size_t most = most_selected(inputs, options);
        fit_.beta.reserve(most * outputs);
        path_.beta.reserve(most * outputs);
        regression_.reserve(most);
    }
}

CandidateFilter* Step::aim(const Moments& moments, const WorkingUnits& units, const Row& row) {
    return screens_ ? screen_.aim(moments, units, components_, row) : nullptr;
}

Outcome Step::run(const Moments& moments, const WorkingUnits& units, const Row* row) {
    path_.selected.clear();
    held_ = 0;
    unscreened_ = 0;
    weights_known_ = false;
    if (!units.anything_varies()) {
        fit_.clear();
        held_ = components_.size();
        return Outcome::nothing_varies;
    }
    span_.clear();
    left_square_ = units.cross_square();
    bool restarted = false;
    for (std::size_t r = 0; r < components_.size(); ++r) {
        const Found found = find_component(moments, units, r);  // eq. (16) to (19)
        restarted = restarted || found == Found::restarted;
        held_ += found == Found::held ? 1 : 0;
        unite(path_.selected, components_[r].support, scratch_);
        deflate(moments, units, r);
    }
    std::swap(fit_, path_);
    if (!refit_) {
        fit_loadings(moments, units, row);  // eq. (10) or (20)
    }
    screen_.forget_aim();
    if (held_ > 0) {
        return Outcome::component_held;
    }
    return restarted ? Outcome::component_restarted : Outcome::learned;
}

Step::Found Step::find_component(const Moments& moments, const WorkingUnits& units, std::size_t r) {
    const bool fresh = components_[r].support.empty();
    if (fresh) {
        point_seed_at(r);  // the paper's U = I
    }
    Found found = Found::direction;
    Direction a = find_direction(moments, units, r, fresh ? seed_ : components_[r], fresh);  // eq. (16), (17)
    const bool all_explained =
        refit_ && r > 0 && options_.ridge < 1.0 && left_square_ <= kVanished * kVanished * units.cross_square();
    if (all_explained) {
        keep_last_direction(r);
        return Found::held;
    }
    if (a.largest == 0.0) {
        point_seed_at(most_telling_input(moments, units, r));
        a = find_direction(moments, units, r, seed_, true);
        found = Found::restarted;
    }
    remove_explained();  // eq. (18)
    const bool lifted = hold_bonus_.apply(components_[r], direction_.all());
    double largest = a.largest;
    double floor = 0.0;
    if (!a.at_all_inputs) {
        largest = 0.0;
        for (const std::size_t j : candidates_) {
            largest = std::max(largest, std::abs(direction_[j]));
        }
    } else {
        largest = path_.selected.empty() && !lifted ? largest : kernels::largest(direction_.data(), p_);
        const auto narrowed = narrowing_.narrow(r, direction_.all(), largest, path_.selected, candidates_);
        floor = narrowed.floor;
        if (screens_ && narrowed.narrowed) {
            screen_.expect(r, units, parts_of(units, left_square_, options_), inner_, floor);
        }
    }
    if (a.largest == 0.0 || largest <= kVanished * a.largest) {
        keep_last_direction(r);
        return Found::held;
    }
    choose_variables(r, largest);  // eq. (19)
    if (refit_ && a.at_all_inputs) {
        narrowing_.announce_next(direction_.all(), floor, moments.inputs.gram());
    }
    return found;
}

// a = H u at the inputs that may be chosen, in direction_.
Step::Direction Step::find_direction(const Moments& moments, const WorkingUnits& units, std::size_t r,
                                     const Component& start, bool fresh) {
    if (screens_ && screen_.find(r, moments, units, start, fresh, path_.selected, candidates_, z_)) {
        double largest = 0.0;
        for (std::size_t i = 0; i < candidates_.size(); ++i) {
            direction_[candidates_[i]] = z_[i];
            largest = std::max(largest, std::abs(z_[i]));
        }
        return {.largest = largest, .at_all_inputs = false};
    }
    if (refit_ && moments.inputs.gram().single() != nullptr) {
        if (find_with_refit(moments, units, r, start)) {
            return {.largest = refit_screen_->found().largest, .at_all_inputs = false};
        }
        ++unscreened_;
    }
    unscreened_ += screens_ ? 1 : 0;
    if (!screens_ && may_be_screened_ && narrowing_.narrows() && find_among_few(moments, units, r, start)) {
        double largest = 0.0;
        for (const std::size_t j : candidates_) {
            largest = std::max(largest, std::abs(direction_[j]));
        }
        return {.largest = largest, .at_all_inputs = false};
    }
    return {.largest = direction_at_all_inputs(moments, units, r, start), .at_all_inputs = true};
}

// The same where all of C is kept: M~ g at all inputs shows which of them may be chosen, and C~ u is computed at these alone.
//     inputs |(C~ u)_i| <= inputs sqrt(C~_ii u'C~u) <= inputs sqrt(tr(C~) |S| sum_S u_j^2 C~_jj)           Cauchy-Schwarz
// False where that leaves more than a few, or where the choice among them rests on others.
bool Step::find_among_few(const Moments& moments, const WorkingUnits& units, std::size_t r, const Component& start) {
    const InputMoments& inputs = moments.inputs;
    scaled_weights(moments, units, start, scaled_);
    inner_product(moments, units, start.support, scaled_, inner_);
    const Parts parts = parts_of(units, left_square_, options_);
    double squares = 0.0;
    for (std::size_t i = 0; i < scaled_.size(); ++i) {
        squares += scaled_[i] * scaled_[i] * inputs.square(start.support[i]);
    }
    const double bound = parts.inputs * std::sqrt(units.input_trace() * static_cast<double>(scaled_.size()) * squares);
    const double largest = cross_direction(moments, units, parts, nullptr);
    const auto narrowed = narrowing_.narrow(r, direction_.all(), largest, bound, path_.selected, candidates_);
    scratch_.assign(candidates_.begin(), candidates_.end());
    unite(scratch_, start.support, asked_);
    if (narrowed.floor == 0.0 || !inputs.gram().prepare(scratch_, inputs.squares(), inputs.workers())) {
        return false;
    }
    z_.resize(candidates_.size());
    inputs.gram().multiply_at(start.support, scaled_, candidates_, z_);
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
        const std::size_t j = candidates_[i];
        direction_[j] += units.input_unit(moments, j) * parts.inputs * z_[i];
    }
    return narrowing_.settles(r, direction_.all(), narrowed.floor, path_.selected, candidates_);
}

// D (cross M~ g + inputs input_part) at all inputs, in direction_; input_part: or null. Returns the largest.
double Step::cross_direction(const Moments& moments, const WorkingUnits& units, const Parts& parts,
                             const double* input_part) {
    const InputMoments& inputs = moments.inputs;
    if (!units.input_units_are_ones()) {
        find_input_weights(moments, units);
    }
    for (std::size_t k = 0; k < inner_.size(); ++k) {
        scaled_inner_[k] = inner_[k] * units.output_units()[k];
    }
    return kernels::bridge_product(
        input_part, parts.inputs, inputs.cross(), inputs.cross_stride(), inner_.size(), scaled_inner_.data(),
        parts.cross, units.input_units_are_ones() ? nullptr : input_roots_.data(), padded(p_), direction_.data());
}

// The same where C in single precision shows which inputs these are.
bool Step::find_with_refit(const Moments& moments, const WorkingUnits& units, std::size_t r, const Component& start) {
    if (!refit_screen_) {
        refit_screen_.emplace(p_, inner_.size(), options_);
    }
    const bool first_of_row = !weights_known_;
    find_input_weights(moments, units);
    const RefitScreen::Given given{.moments = moments,
                                   .units = units,
                                   .input_weights = input_weights_.data(),
                                   .input_roots = units.input_units_are_ones() ? nullptr : input_roots_.data()};
    if (first_of_row) {
        refit_screen_->start_row(given);
    }
    if (!refit_screen_->find(given, {.number = r, .u = start, .fit = path_}, narrowing_.threshold_shares()[r])) {
        return false;
    }
    const RefitScreen::Found& found = refit_screen_->found();
    for (std::size_t i = 0; i < found.inputs.size(); ++i) {
        direction_[found.inputs[i]] = found.a[i];
    }
    candidates_.assign(found.inputs.begin(), found.inputs.end());
    unite(candidates_, path_.selected, scratch_);
    left_square_ = found.left_square;
    return true;
}

void Step::find_input_weights(const Moments& moments, const WorkingUnits& units) {
    if (!weights_known_) {
        units.input_weights(moments, input_weights_.all());
        moments.inputs.workers().share_inputs(p_, [&](std::size_t /*worker*/, std::size_t from, std::size_t to) {
            const std::size_t first = from * kPiece;
            kernels::square_roots(input_weights_.data() + first, std::min(to * kPiece, padded(p_)) - first,
                                  input_roots_.data() + first);
        });
        weights_known_ = true;
    }
}

double Step::direction_at_all_inputs(const Moments& moments, const WorkingUnits& units, std::size_t r,
                                     const Component& start) {
    const InputMoments& inputs = moments.inputs;
    const std::size_t n = padded(p_);
    const bool ones = units.input_units_are_ones();
    if (!ones || refit_) {
        find_input_weights(moments, units);
    }
    if (refit_ && r > 0 && !explained_known_) {
        regression_.explain(moments, units, path_, explained_.all());
        explained_known_ = true;
    }
    const auto e = units.output_units();
    scaled_weights(moments, units, start, scaled_);
    if (refit_ && r > 0) {  // M~ gives way to what the fit so far leaves of it
        const std::size_t stride = inputs.cross_stride();
        std::ranges::fill(inner_, 0.0);
        for (std::size_t i = 0; i < scaled_.size(); ++i) {
            const std::size_t j = start.support[i];
            for (std::size_t k = 0; k < inner_.size(); ++k) {
                inner_[k] += scaled_[i] * ((inputs.cross(j, k) * e[k]) - explained_[(k * stride) + j]);
            }
        }
        left_square_ = kernels::deflated_product(inputs.cross(), explained_.data(), stride, inner_.size(), e.data(),
                                                 inner_.data(), input_weights_.data(), n, along_.data());
    } else {
        inner_product(moments, units, start.support, scaled_, inner_);
    }
    const Parts parts = parts_of(units, left_square_, options_);
    if (parts.inputs > 0.0) {
        const bool fits = inputs.gram().prepare(start.support, inputs.squares(), inputs.workers());
        assert(fits);
        (void)fits;
        inputs.gram().multiply(start.support, scaled_, 1, input_part_.data(), n, inputs.workers());
    }
    const double* input_part = parts.inputs > 0.0 ? input_part_.data() : nullptr;
    const double* roots = ones ? nullptr : input_roots_.data();
    if (refit_ && r > 0) {
        return kernels::combine(input_part, parts.inputs, along_.data(), parts.cross, roots, n, direction_.data());
    }
    return cross_direction(moments, units, parts, input_part);
}

// What the components found so far have explained is taken out of the direction.
void Step::remove_explained() {
    if (!refit_) {
        span_.project_out(direction_.all());
        return;
    }
    // What the refit has explained is not to be chosen again: each component brings variables of its own. (Measured
    // on the eleven tasks: geometric mean of error over variance 0.117, against 0.121 where they may be.)
    for (const std::size_t j : path_.selected) {
        direction_[j] = 0.0;
    }
}

// Where projection left nothing but rounding, there is no variable to choose.
void Step::choose_variables(std::size_t r, double largest) {
    const double speck = kSpeck * largest;
    std::span<double> z = direction_.all().first(p_);
    if (candidates_.size() == p_) {
        kernels::zero_below(direction_.data(), speck, padded(p_));
    } else {
        z_.resize(candidates_.size());
        std::ranges::transform(candidates_, z_.begin(),
                               [&](std::size_t j) { return std::abs(direction_[j]) < speck ? 0.0 : direction_[j]; });
        z = z_;
    }
    sparsifier_.choose(r, candidates_, z, path_.selected, components_[r].u, components_[r].support);
    hold_bonus_.remove(components_[r]);
}

// Before the next component is looked for.
void Step::deflate(const Moments& moments, const WorkingUnits& units, std::size_t r) {
    if (!refit_ && r + 1 < components_.size()) {
        span_.add(components_[r]);
    }
    if (refit_) {
        regression_.refit(moments, units, path_);
        explained_known_ = false;
    }
}

void Step::fit_loadings(const Moments& moments, const WorkingUnits& units, const Row* row) {
    if (options_.loadings == Loadings::weighted) {
        regression_.weighted_loadings(moments, units, components_, fit_.selected, W_);
        covariance_square_ = regression_.covariance_square();
    } else if (row != nullptr) {
        fit_instant_loadings(moments, units, *row);
    }
    Regression::combine(components_, W_, inner_.size(), fit_);
}

void Step::fit_instant_loadings(const Moments& moments, const WorkingUnits& units, const Row& row) {
    for (std::size_t r = 0; r < components_.size(); ++r) {  // s = x U of this row
        double s = 0.0;
        for (const std::size_t j : components_[r].support) {
            s += components_[r].u[j] * units.input_unit(moments, j) * moments.inputs.deviation(j, row.x[j]);
        }
        scores_[r] = s;
    }
    for (std::size_t k = 0; k < inner_.size(); ++k) {
        inner_[k] = units.output_units()[k] * moments.outputs.deviation(k, row.y[k]);
    }
    instant_loadings(scores_, inner_, W_);
}

// The variables become those of the first component, weighted by their coefficients.
void Step::use_fit(const Coefficients& fit, double shrinkage) {
    regression_.use_shrinkage(shrinkage);
    fit_.selected.assign(fit.selected.begin(), fit.selected.end());
    fit_.beta.assign(fit.beta.begin(), fit.beta.end());
    Component& component = components_.front();
    for (const std::size_t j : component.support) {
        component.u[j] = 0.0;
    }
    component.support.assign(fit.selected.begin(), fit.selected.end());
    double square = 0.0;
    for (std::size_t i = 0; i < fit.selected.size(); ++i) {
        square += fit.beta[i] * fit.beta[i];
    }
    for (std::size_t i = 0; i < fit.selected.size(); ++i) {
        component.u[fit.selected[i]] = square > 0.0 ? fit.beta[i] / std::sqrt(square) : 0.0;
    }
}

void Step::use_shrinkage(double shrinkage, std::span<const double> beta) {
    regression_.use_shrinkage(shrinkage);
    fit_.beta.assign(beta.begin(), beta.end());
}

// The input whose row of what is left of M~ is largest: one outside S, or where none varies there, one of S.
std::size_t Step::most_telling_input(const Moments& moments, const WorkingUnits& units, std::size_t r) const {
    std::size_t best = 0;
    double most = -1.0;
    bool best_outside = false;
    for (std::size_t j = 0; j < p_; ++j) {
        const double d = units.input_unit(moments, j);
        if (d == 0.0) {
            continue;
        }
        double square = 0.0;
        for (std::size_t k = 0; k < inner_.size(); ++k) {
            const double left = (moments.inputs.cross(j, k) * units.output_units()[k]) -
                                (refit_ && r > 0 ? explained_[(k * moments.inputs.cross_stride()) + j] : 0.0);
            square += d * left * d * left;
        }
        const bool outside = !std::ranges::binary_search(path_.selected, j);
        if ((outside && !best_outside) || (outside == best_outside && square > most)) {
            most = square;
            best = j;
            best_outside = outside;
        }
    }
    return best;
}

void Step::point_seed_at(std::size_t input) {
    for (const std::size_t j : seed_.support) {
        seed_.u[j] = 0.0;
    }
    seed_.support.assign(1, input);
    seed_.u[input] = 1.0;
}

// Unless the component's variables no longer fit into the limit on names.
void Step::keep_last_direction(std::size_t r) {
    Component& component = components_[r];
    const auto fresh = static_cast<std::size_t>(std::ranges::count_if(
        component.support, [&](std::size_t j) { return !std::ranges::binary_search(path_.selected, j); }));
    if (options_.names && path_.selected.size() + fresh > *options_.names) {
        for (const std::size_t j : component.support) {
            component.u[j] = 0.0;
        }
        component.support.clear();
    }
}

void Step::loadings(const Moments& moments, const WorkingUnits& units, std::span<double> W) const {
    if (refit_ && !fit_.selected.empty()) {
        Regression regression = regression_;  // asked for now and then: worth a copy of the scratch space
        regression.weighted_loadings(moments, units, components(), fit_.selected, W);
    } else {
        std::copy_n(W_.begin(), W.size(), W.begin());
    }
    std::ranges::transform(W, W.begin(), [&](double w) { return w == 0.0 ? 0.0 : w * units.loading_unit(); });
}

}  // namespace sluice::core
