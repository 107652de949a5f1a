#include "member.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "row_check.hpp"
#include "state.hpp"

namespace sluice::tune {

namespace {
// Standard errors by which another reading must be better; see bank.cpp.
constexpr double kClearShrinkage = 2.0;
constexpr double kClear = 3.0;

// r of the refit. (Eleven tasks, 20 names, three memories: 0.061 with these four, 0.067 with 1 and 10 alone: on the spectra
// 0.1 halves the error.)
constexpr std::array<double, 4> kShrinkages = {0.1, 1.0, 10.0, 30.0};

std::vector<double> shrinkages_of(const StreamOptions& options, const Tuning& tuning) {
    if (!tuning.shrinkage) {
        return {};
    }
    std::vector<double> all(kShrinkages.begin(), kShrinkages.end());
    if (std::ranges::find(all, options.shrinkage) == all.end()) {  // what was given is one of them
        all.push_back(options.shrinkage);
        std::ranges::sort(all);
    }
    return all;
}

}  // namespace

Member::Member(std::size_t inputs, std::size_t outputs, StreamOptions options, const Shape& shape, const Tuning& tuning)
    : tuning_(tuning),
      model_(inputs, outputs, shaped(std::move(options), shape)),
      shrinkages_(shrinkages_of(model_.options(), tuning)),
      units_(outputs, 1.0) {
    const auto given = std::ranges::find(shrinkages_, model_.options().shrinkage);
    shrinkage_ = given == shrinkages_.end() ? 0 : static_cast<std::size_t>(given - shrinkages_.begin());
    prepare(impl().step);
    start_tracks(Track(outputs, tuning.intercept));
}

void Member::prepare(core::Step& step) const {
    step.keep_alternatives(shrinkages_, tuning_.components);
    if (!shrinkages_.empty()) {
        step.use_shrinkage(shrinkage_);
    }
}

// Every reading starts as good as the one given, until it shows otherwise.
void Member::start_tracks(const Track& from) {
    by_shrinkage_.assign(std::max<std::size_t>(shrinkages_.size(), 1), from);
    by_components_.assign(tuning_.components ? model_.options().components.value_or(1) : 0, from);
    predictions_.resize(readings() * model_.outputs());
}

void Member::predict(std::span<const double> x) {
    const auto& model = impl();
    const core::Coefficients& fit = model.step.coefficients();
    const auto& alternatives = model.step.alternatives();
    std::size_t reading = 0;
    auto next = [&] { return std::span(predictions_).subspan(model.q * reading++, model.q); };
    if (shrinkages_.empty()) {
        model.predict(x, next());
    }
    for (const auto& beta : alternatives.by_shrinkage) {
        model.predict(model.step, fit.selected, beta, x, next());
    }
    for (const core::Coefficients& other : alternatives.by_components) {
        model.predict(model.step, other.selected, other.beta, x, next());
    }
    for (const Neighbour& neighbour : beside_) {
        const core::Coefficients& other = neighbour.step.coefficients();
        model.predict(neighbour.step, other.selected, other.beta, x, next());
    }
}

double Member::predicted(std::size_t output) const {
    return core::finite(predictions_[(shrinkage_ * model_.outputs()) + output] + drift(output));
}

double Member::drift(std::size_t output) const {
    return core::finite(track().drift(output) / units_[output]);
}

void Member::use_unit(std::size_t output, int exponent) {
    const double unit = std::ldexp(1.0, -exponent);
    const double times = unit / units_[output];
    units_[output] = unit;
    for (auto* tracks : {&by_shrinkage_, &by_components_}) {
        for (Track& track : *tracks) {
            track.change_unit(output, times);
        }
    }
    for (Neighbour& neighbour : beside_) {
        neighbour.track.change_unit(output, times);
    }
}

void Member::score(std::span<const double> y, std::span<const double> scale) {
    std::size_t reading = 0;
    auto add = [&](Track& track) {
        for (std::size_t k = 0; k < y.size(); ++k) {
            if (!std::isnan(y[k])) {
                track.add(k, y[k] * units_[k], predictions_[(reading * y.size()) + k] * units_[k]);
            }
        }
        ++reading;
    };
    std::ranges::for_each(by_shrinkage_, add);
    std::ranges::for_each(by_components_, add);
    for (Neighbour& neighbour : beside_) {
        add(neighbour.track);
    }
    for (auto* tracks : {&by_shrinkage_, &by_components_}) {
        for (Track& track : *tracks) {
            track.compare(by_shrinkage_[shrinkage_], scale);
        }
    }
    for (Neighbour& neighbour : beside_) {
        neighbour.track.compare(by_shrinkage_[shrinkage_], scale);
    }
}

// Another reading is used from now on.
void Member::begin_comparisons() {
    for (auto* tracks : {&by_shrinkage_, &by_components_}) {
        std::ranges::for_each(*tracks, &Track::begin_comparison);
    }
    for (Neighbour& neighbour : beside_) {
        neighbour.track.begin_comparison();
    }
}

StepReport Member::learn(std::span<const double> x, std::span<const double> y, bool tame,
                         std::span<const std::size_t> favoured, bool look, std::size_t neighbour) {
    auto& model = impl();
    model.favoured = favoured;
    const StepReport report = model.learn(x, y, tame, look);
    model.favoured.reset();  // the model may be copied and outlive the list
    for (std::size_t i = 0; i < beside_.size() && report.outcome != Outcome::outputs_missing; ++i) {
        core::Step& step = beside_[i].step;
        if (neighbour != kAllNeighbours && neighbour != i) {
            step.look_again(model.moments);
            continue;
        }
        if (model.options.hold_bonus > 0.0) {
            step.favour(favoured);
        }
        step.run_anew(model.moments);
        if (tuning_.keep_rule == KeepRule::akaike) {
            beside_[i].akaike = step.akaike(model.moments);
        }
    }
    return report;
}

void Member::multiply_errors(double factor) {
    for (auto* tracks : {&by_shrinkage_, &by_components_}) {
        for (Track& track : *tracks) {
            track.multiply_errors(factor);
        }
    }
    for (Neighbour& neighbour : beside_) {
        neighbour.track.multiply_errors(factor);
    }
}

double Member::shrinkage() const {
    return shrinkages_.empty() ? model_.options().shrinkage : shrinkages_[shrinkage_];
}

std::optional<Member::Change> Member::choose_shrinkage(std::span<const double> scale, double margin) {
    std::size_t best = shrinkage_;
    double least = by_shrinkage_[shrinkage_].loss(scale);
    const double own = least;
    for (std::size_t i = 0; i < by_shrinkage_.size(); ++i) {
        const double loss = by_shrinkage_[i].loss(scale);
        if (loss < least && loss < own * (1.0 - margin) && by_shrinkage_[i].clearness() > kClearShrinkage) {
            least = loss;
            best = i;
        }
    }
    if (best == shrinkage_) {
        return std::nullopt;
    }
    const Change change{
        .from = shrinkages_[shrinkage_], .to = shrinkages_[best], .measured_from = own, .measured_to = least};
    shrinkage_ = best;
    impl().step.use_shrinkage(best);
    impl().options.shrinkage = shrinkages_[best];
    for (Neighbour& neighbour : beside_) {
        neighbour.step.use_shrinkage(best);
    }
    begin_comparisons();
    return change;
}

std::optional<Member::Change> Member::choose_components(std::span<const double> scale, double margin) {
    const std::size_t now = components();
    const std::size_t most = by_components_.size();
    std::size_t best = now;
    double own = 0.0;
    double least = 0.0;
    if (tuning_.components_rule == ComponentsRule::error) {
        own = least = by_components_[now - 1].loss(scale);
        for (std::size_t r = 1; r <= most; ++r) {
            const double loss = by_components_[r - 1].loss(scale);
            if (loss < least && loss < own * (1.0 - margin) && by_components_[r - 1].clearness() > kClear) {
                least = loss;
                best = r;
            }
        }
    } else {
        covariance_.assign(most, 0.0);
        energy_.assign(most, 0.0);
        impl().step.explained_by_components(impl().moments, covariance_, energy_);
        const auto& share = tuning_.components_rule == ComponentsRule::energy ? energy_ : covariance_;
        own = share[now - 1];
        if (own < tuning_.share_low && now < most) {
            best = now + 1;
        } else if (now > 1 && share[now - 2] > tuning_.share_high) {
            best = now - 1;
        }
        least = share[best - 1];
    }
    if (best == now) {
        return std::nullopt;
    }
    const double before = by_components_[now - 1].loss(scale);
    const double after = by_components_[best - 1].loss(scale);
    impl().step.use_components(impl().moments, best);
    for (std::size_t i = 0; i < by_shrinkage_.size(); ++i) {  // what they did was with another number of components
        if (i == shrinkage_) {
            by_shrinkage_[i] = by_components_[best - 1];
        } else if (before > 0.0) {
            by_shrinkage_[i].multiply_errors(after / before);
        }
    }
    begin_comparisons();
    return Change{
        .from = static_cast<double>(now), .to = static_cast<double>(best), .measured_from = own, .measured_to = least};
}

Member::Neighbour Member::neighbour(std::size_t rung, const Ladder& ladder) const {
    Neighbour made{.rung = rung,
                   .step = core::Step(model_.inputs(), model_.outputs(), shaped(model_.options(), ladder.rungs[rung])),
                   .track = track()};
    made.step.keep_alternatives(shrinkages_, tuning_.components);
    return made;
}

void Member::keep_neighbours(bool wanted, const Ladder& ladder, std::size_t rung) {
    beside_.clear();
    if (wanted) {
        for (const std::size_t other : {rung - 1, rung + 1}) {  // rung - 1 of the first is beyond the last
            if (other < ladder.rungs.size()) {
                Neighbour made = neighbour(other, ladder);
                made.step.run_anew(impl().moments);
                if (!shrinkages_.empty()) {
                    made.step.use_shrinkage(shrinkage_);
                }
                beside_.push_back(std::move(made));
            }
        }
    }
    predictions_.resize(readings() * model_.outputs());
}

std::optional<Member::Change> Member::choose_shape(std::span<const double> scale, double margin, const Ladder& ladder,
                                                   std::size_t& rung) {
    const bool by_error = tuning_.keep_rule == KeepRule::error;
    const double own = by_error ? loss(scale) : impl().step.akaike(impl().moments);
    auto measure = [&](const Neighbour& n) { return by_error ? n.track.loss(scale) : n.akaike; };
    const auto best = std::ranges::min_element(beside_, {}, measure);
    if (best == beside_.end() || !(measure(*best) < (by_error ? own * (1.0 - margin) : own - 2.0)) ||
        (by_error && best->track.clearness() < kClear)) {
        return std::nullopt;
    }
    const Change change{.from = static_cast<double>(ladder.rungs[rung].keep),
                        .to = static_cast<double>(ladder.rungs[best->rung].keep),
                        .measured_from = own,
                        .measured_to = measure(*best)};
    rung = best->rung;
    impl().step = std::move(best->step);
    impl().options = shaped(impl().options, ladder.rungs[rung]);
    const Track taken = best->track;
    beside_.clear();
    start_tracks(taken);
    begin_comparisons();
    return change;
}

void Member::take_shape(const Shape& shape) {
    impl().options = shaped(impl().options, shape);
    core::Step step(model_.inputs(), model_.outputs(), impl().options);
    step.keep_alternatives(shrinkages_, tuning_.components);
    step.run_anew(impl().moments);
    if (!shrinkages_.empty()) {
        step.use_shrinkage(shrinkage_);
    }
    impl().step = std::move(step);
    const Track taken = track();
    start_tracks(taken);
}

void Member::save(core::StateWriter& out) const {
    const auto state = model_.save();
    out.put(static_cast<std::uint64_t>(state.size()));
    for (const std::byte byte : state) {
        out.put(static_cast<unsigned char>(byte));
    }
    impl().step.save_alternatives(out);
    out.put(static_cast<std::uint64_t>(shrinkage_));
    for (const auto* tracks : {&by_shrinkage_, &by_components_}) {
        for (const Track& track : *tracks) {
            track.save(out);
        }
    }
    out.put(static_cast<std::uint64_t>(beside_.size()));
    for (const Neighbour& neighbour : beside_) {
        out.put(static_cast<std::uint64_t>(neighbour.rung));
        neighbour.step.save(out);
        neighbour.step.save_alternatives(out);
        neighbour.track.save(out);
        out.put(neighbour.akaike);
    }
}

void Member::load(core::StateReader& in, const Ladder& ladder, std::size_t rung) {
    std::uint64_t length = 0;
    in.get(length);
    in.require(length <= in.left(), "a memory is longer than the state");
    std::vector<std::byte> state(length);
    for (std::byte& byte : state) {
        unsigned char value = 0;
        in.get(value);
        byte = static_cast<std::byte>(value);
    }
    StreamModel model = StreamModel::load(state);
    in.require(model.inputs() == model_.inputs() && model.outputs() == model_.outputs(), "a memory has another shape");
    StreamOptions expected = shaped(model_.options(), ladder.rungs[rung]);
    expected.shrinkage = shrinkages_.empty() ? expected.shrinkage : model.options().shrinkage;
    in.require(model.options() == expected, "a memory has other options");
    model_ = std::move(model);
    impl().step.keep_alternatives(shrinkages_, tuning_.components);
    impl().step.load_alternatives(in);
    std::uint64_t number = 0;
    in.get(number);
    in.require(number < std::max<std::size_t>(shrinkages_.size(), 1), "its shrinkage is none of them");
    shrinkage_ = number;
    in.require(shrinkage() == model_.options().shrinkage, "a memory has another shrinkage");
    beside_.clear();
    start_tracks(Track(model_.outputs(), tuning_.intercept));
    for (auto* tracks : {&by_shrinkage_, &by_components_}) {
        for (Track& track : *tracks) {
            track.load(in);
        }
    }
    in.get(number);
    in.require(number <= 2, "it has too many neighbours");
    for (std::uint64_t i = 0; i < number; ++i) {
        std::uint64_t other = 0;
        in.get(other);
        in.require(other < ladder.rungs.size() && (other + 1 == rung || other == rung + 1),
                   "a neighbour is none of them");
        Neighbour made = neighbour(other, ladder);
        made.step.load(in, impl().moments);
        made.step.load_alternatives(in);
        made.track.load(in);
        in.get(made.akaike);
        beside_.push_back(std::move(made));
    }
    predictions_.resize(readings() * model_.outputs());
}

}  // namespace sluice::tune
