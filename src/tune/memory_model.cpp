#include "memory_model.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "row_check.hpp"
#include "state.hpp"

namespace sluice::tune {

namespace {
// t-statistic by which another reading must be better; see model_bank.cpp.
constexpr double kLeastTOfShrinkage = 2.0;
constexpr double kLeastT = 3.0;

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

MemoryModel::MemoryModel(std::size_t inputs, std::size_t outputs, StreamOptions options, const ComponentShape& shape,
                         const Tuning& tuning)
    : tuning_(tuning),
      model_(inputs, outputs, shaped(std::move(options), shape)),
      shrinkages_(shrinkages_of(model_.options(), tuning)),
      readings_(readings_of(model_.options())),
      units_(outputs, 1.0) {
    const auto given = std::ranges::find(shrinkages_, model_.options().shrinkage);
    shrinkage_ = given == shrinkages_.end() ? 0 : static_cast<std::size_t>(given - shrinkages_.begin());
    start_tracks(ErrorTrack(outputs, tuning.intercept));
}

Readings MemoryModel::readings_of(const StreamOptions& options) const {
    return {model_.inputs(), model_.outputs(), options, shrinkages_, tuning_.components};
}

// Every reading starts as good as the one given, until it shows otherwise.
void MemoryModel::start_tracks(const ErrorTrack& from) {
    by_shrinkage_.assign(std::max<std::size_t>(shrinkages_.size(), 1), from);
    by_components_.assign(readings_.by_components().size(), from);
    predictions_.resize(readings() * model_.outputs());
}

void MemoryModel::predict(std::span<const double> x) {
    const core::Predictor predictor = impl().predictor();
    const core::Coefficients& fit = impl().step().fit();
    const std::size_t q = model_.outputs();
    std::size_t reading = 0;
    auto predict_next = [&](const std::vector<std::size_t>& selected, const std::vector<double>& beta) {
        predictor.predict(selected, beta, x, std::span(predictions_).subspan(q * reading++, q));
    };
    if (shrinkages_.empty()) {
        predict_next(fit.selected, fit.beta);
    }
    for (const auto& beta : readings_.by_shrinkage()) {
        predict_next(fit.selected, beta);
    }
    for (const core::Coefficients& other : readings_.by_components()) {
        predict_next(other.selected, other.beta);
    }
    for (const Neighbour& neighbour : beside_) {
        predict_next(neighbour.step.fit().selected, neighbour.step.fit().beta);
    }
}

double MemoryModel::predicted(std::size_t output) const {
    return core::finite(predictions_[(shrinkage_ * model_.outputs()) + output] + drift(output));
}

double MemoryModel::drift(std::size_t output) const {
    return core::finite(track().drift(output) / units_[output]);
}

void MemoryModel::use_unit(std::size_t output, int exponent) {
    const double unit = core::power_of_two(-exponent);
    const double times = unit / units_[output];
    units_[output] = unit;
    for (auto* tracks : {&by_shrinkage_, &by_components_}) {
        for (ErrorTrack& track : *tracks) {
            track.change_unit(output, times);
        }
    }
    for (Neighbour& neighbour : beside_) {
        neighbour.track.change_unit(output, times);
    }
}

void MemoryModel::score(std::span<const double> y, std::span<const double> scale) {
    std::size_t reading = 0;
    auto add = [&](ErrorTrack& track) {
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
        for (ErrorTrack& track : *tracks) {
            track.compare(by_shrinkage_[shrinkage_], scale);
        }
    }
    for (Neighbour& neighbour : beside_) {
        neighbour.track.compare(by_shrinkage_[shrinkage_], scale);
    }
}

// Another reading is used from now on.
void MemoryModel::reset_comparisons() {
    for (auto* tracks : {&by_shrinkage_, &by_components_}) {
        std::ranges::for_each(*tracks, &ErrorTrack::reset_comparison);
    }
    for (Neighbour& neighbour : beside_) {
        neighbour.track.reset_comparison();
    }
}

Outcome MemoryModel::learn(std::span<const double> x, std::span<const double> y, bool in_range,
                           std::span<const std::size_t> held, bool update_selection, std::size_t neighbour) {
    const auto prediction = std::span(predictions_).subspan(shrinkage_ * model_.outputs(), model_.outputs());
    const Outcome outcome = impl().update(
        x, y, in_range, prediction, {.update_selection = update_selection, .held = held, .stages = readings_.stages()});
    if (outcome == Outcome::outputs_missing) {
        return outcome;
    }
    if (update_selection) {
        readings_.update(impl().moments(), impl().units(), impl().step());
    }
    for (std::size_t i = 0; i < beside_.size(); ++i) {
        if (neighbour == kAllNeighbours || neighbour == i) {
            if (model_.options().hold_bonus > 0.0) {
                beside_[i].step.set_held(held);
            }
            run(beside_[i]);
        }
    }
    return outcome;
}

void MemoryModel::describe(StepReport& report) {
    impl().describe(report);
}

void MemoryModel::run(Neighbour& neighbour) {
    neighbour.step.run(impl().moments(), impl().units(), nullptr, neighbour.readings.stages());
    neighbour.readings.update(impl().moments(), impl().units(), neighbour.step);
    if (tuning_.keep_rule == KeepRule::akaike) {
        neighbour.akaike = neighbour.readings.akaike(impl().moments(), impl().units(), neighbour.step);
    }
}

void MemoryModel::multiply_errors(double factor) {
    for (auto* tracks : {&by_shrinkage_, &by_components_}) {
        for (ErrorTrack& track : *tracks) {
            track.multiply_errors(factor);
        }
    }
    for (Neighbour& neighbour : beside_) {
        neighbour.track.multiply_errors(factor);
    }
}

double MemoryModel::shrinkage() const {
    return shrinkages_.empty() ? model_.options().shrinkage : shrinkages_[shrinkage_];
}

std::optional<MemoryModel::Change> MemoryModel::choose_shrinkage(std::span<const double> scale, double margin) {
    std::size_t best = shrinkage_;
    double least = by_shrinkage_[shrinkage_].loss(scale);
    const double own = least;
    for (std::size_t i = 0; i < by_shrinkage_.size(); ++i) {
        const double loss = by_shrinkage_[i].loss(scale);
        if (loss < least && loss < own * (1.0 - margin) && by_shrinkage_[i].t_statistic() > kLeastTOfShrinkage) {
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
    impl().use_shrinkage(shrinkages_[best], readings_.by_shrinkage()[best]);
    for (Neighbour& neighbour : beside_) {
        neighbour.step.use_shrinkage(shrinkages_[best], neighbour.readings.by_shrinkage()[best]);
    }
    reset_comparisons();
    return change;
}

std::optional<MemoryModel::Change> MemoryModel::choose_components(std::span<const double> scale, double margin) {
    const std::size_t now = components();
    const std::size_t most = by_components_.size();
    std::size_t best = now;
    double own = 0.0;
    double least = 0.0;
    if (tuning_.components_rule == ComponentsRule::error) {
        own = least = by_components_[now - 1].loss(scale);
        for (std::size_t r = 1; r <= most; ++r) {
            const double loss = by_components_[r - 1].loss(scale);
            if (loss < least && loss < own * (1.0 - margin) && by_components_[r - 1].t_statistic() > kLeastT) {
                least = loss;
                best = r;
            }
        }
    } else {
        covariance_.assign(most, 0.0);
        energy_.assign(most, 0.0);
        readings_.explained_by_components(impl().moments(), impl().units(), impl().step(), covariance_, energy_);
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
    impl().use_components(best, readings_.by_components()[best - 1]);
    readings_.update(impl().moments(), impl().units(), impl().step());
    if (!shrinkages_.empty()) {  // it may have been chosen since the last row
        impl().use_shrinkage(shrinkage(), readings_.by_shrinkage()[shrinkage_]);
    }
    for (std::size_t i = 0; i < by_shrinkage_.size(); ++i) {  // what they did was with another number of components
        if (i == shrinkage_) {
            by_shrinkage_[i] = by_components_[best - 1];
        } else if (before > 0.0) {
            by_shrinkage_[i].multiply_errors(after / before);
        }
    }
    reset_comparisons();
    return Change{
        .from = static_cast<double>(now), .to = static_cast<double>(best), .measured_from = own, .measured_to = least};
}

MemoryModel::Neighbour MemoryModel::neighbour(std::size_t rung, const Ladder& ladder) const {
    const StreamOptions options = shaped(model_.options(), ladder.rungs[rung]);
    return {.rung = rung,
            .step = core::Step(model_.inputs(), model_.outputs(), options),
            .readings = readings_of(options),
            .track = track()};
}

void MemoryModel::keep_neighbours(bool wanted, const Ladder& ladder, std::size_t rung) {
    beside_.clear();
    if (wanted) {
        for (const std::size_t other : {rung - 1, rung + 1}) {  // rung - 1 of the first is beyond the last
            if (other < ladder.rungs.size()) {
                beside_.push_back(neighbour(other, ladder));
                run(beside_.back());
            }
        }
    }
    predictions_.resize(readings() * model_.outputs());
}

std::optional<MemoryModel::Change> MemoryModel::choose_shape(std::span<const double> scale, double margin,
                                                             const Ladder& ladder, std::size_t& rung) {
    const bool by_error = tuning_.keep_rule == KeepRule::error;
    const double own = by_error ? loss(scale) : readings_.akaike(impl().moments(), impl().units(), impl().step());
    auto measure = [&](const Neighbour& n) { return by_error ? n.track.loss(scale) : n.akaike; };
    const auto best = std::ranges::min_element(beside_, {}, measure);
    if (best == beside_.end() || !(measure(*best) < (by_error ? own * (1.0 - margin) : own - 2.0)) ||
        (by_error && best->track.t_statistic() < kLeastT)) {
        return std::nullopt;
    }
    const Change change{.from = static_cast<double>(ladder.rungs[rung].keep),
                        .to = static_cast<double>(ladder.rungs[best->rung].keep),
                        .measured_from = own,
                        .measured_to = measure(*best)};
    rung = best->rung;
    impl().use_step(std::move(best->step), shaped(model_.options(), ladder.rungs[rung]));
    readings_ = std::move(best->readings);
    const ErrorTrack taken = best->track;
    beside_.clear();
    start_tracks(taken);
    reset_comparisons();
    return change;
}

void MemoryModel::take_shape(const ComponentShape& shape) {
    const StreamOptions options = shaped(model_.options(), shape);
    core::Step step(model_.inputs(), model_.outputs(), options);
    readings_ = readings_of(options);
    step.run(impl().moments(), impl().units(), nullptr, readings_.stages());
    readings_.update(impl().moments(), impl().units(), step);
    impl().use_step(std::move(step), options);
    const ErrorTrack taken = track();
    start_tracks(taken);
}

void MemoryModel::save(core::StateWriter& out) const {
    const auto state = model_.save();
    out.put(static_cast<std::uint64_t>(state.size()));
    for (const std::byte byte : state) {
        out.put(static_cast<unsigned char>(byte));
    }
    readings_.save(impl().step(), out);
    out.put(static_cast<std::uint64_t>(shrinkage_));
    for (const auto* tracks : {&by_shrinkage_, &by_components_}) {
        for (const ErrorTrack& track : *tracks) {
            track.save(out);
        }
    }
    out.put(static_cast<std::uint64_t>(beside_.size()));
    for (const Neighbour& neighbour : beside_) {
        out.put(static_cast<std::uint64_t>(neighbour.rung));
        neighbour.step.save(out);
        neighbour.readings.save(neighbour.step, out);
        neighbour.track.save(out);
        out.put(neighbour.akaike);
    }
}

void MemoryModel::load(core::StateReader& in, const Ladder& ladder, std::size_t rung) {
    std::uint64_t length = 0;
    in.get(length);
    in.require(length <= in.left(), "one of its memories is longer than the whole state");
    std::vector<std::byte> state(length);
    for (std::byte& byte : state) {
        unsigned char value = 0;
        in.get(value);
        byte = static_cast<std::byte>(value);
    }
    StreamModel model = StreamModel::load(state);
    in.require(model.inputs() == model_.inputs() && model.outputs() == model_.outputs(),
               "one of its memories has another number of inputs or outputs");
    StreamOptions expected = shaped(model_.options(), ladder.rungs[rung]);
    expected.shrinkage = shrinkages_.empty() ? expected.shrinkage : model.options().shrinkage;
    in.require(model.options() == expected, "one of its memories has other options");
    model_ = std::move(model);
    readings_ = readings_of(model_.options());
    const auto in_use = readings_.load(impl().step(), in);
    impl().restore_tuning(in_use.components, in_use.shrinkage);
    std::uint64_t number = 0;
    in.get(number);
    in.require(number < by_shrinkage_.size(), "its shrinkage is not one of those tried");
    shrinkage_ = number;
    in.require(shrinkage() == model_.options().shrinkage, "the shrinkage of a memory is not the one in use");
    beside_.clear();
    start_tracks(ErrorTrack(model_.outputs(), tuning_.intercept));
    for (auto* tracks : {&by_shrinkage_, &by_components_}) {
        for (ErrorTrack& track : *tracks) {
            track.load(in);
        }
    }
    in.get(number);
    in.require(number <= 2, "it has more than two neighbouring shapes");
    for (std::uint64_t i = 0; i < number; ++i) {
        std::uint64_t other = 0;
        in.get(other);
        in.require(other < ladder.rungs.size() && (other + 1 == rung || other == rung + 1),
                   "a neighbouring shape is not next to the one in use");
        Neighbour made = neighbour(other, ladder);
        made.step.load(in);
        const auto used = made.readings.load(made.step, in);
        made.step.restore_tuning(used.components, used.shrinkage);
        made.track.load(in);
        in.get(made.akaike);
        beside_.push_back(std::move(made));
    }
    predictions_.resize(readings() * model_.outputs());
}

}  // namespace sluice::tune
