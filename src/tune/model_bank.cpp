// model_bank.cpp -- a row through the memories, and the decisions after it.
//
//   decision      evidence                                                      margin   t-statistic   dwell
//   fresh start   a jump in the longest memory's errors, and a memory that      half     -             -
//                 started there makes less than half of its error (trial.cpp)
//   forgetting    the memory with the least recent one-step error               10 %     -             dwell
//   shrinkage     the same among the shrinkages of each memory                  2 %      2             dwell
//   components    the same among the first 1, 2, .. components, or the rule     5 %      3             dwell
//   keep          the same among the neighbouring rungs, or Akaike's            5 %      3             4 dwell
//
// t-statistic: of paired differences of squared errors, discounted by 0.99. Without it, the reading with the least recent error
// is often only the luckiest of many.
// All errors are one step ahead, with the drift of the intercept (error_track.hpp). A decision is made after the row is learnt and
// holds from the next prediction on.
#include "model_bank.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "changes.hpp"
#include "memory_lengths.hpp"
#include "row_check.hpp"
#include "state.hpp"

namespace sluice::tune {

namespace {

// Chosen on the eleven tasks (20 / 10 names, geometric mean of error over variance) and on simulated factors, p = 100, q = 1
// (error over variance without change / gradual drift / breaks; best fixed setting in hindsight 0.063 / 0.089 / 0.126):
//     these                                            0.071 / 0.084      0.066 / 0.090 / 0.094
//     t-statistic 2, 2 and 1 for the shrinkage         0.070 / 0.077      0.068 / 0.092 / 0.096
//     no t-statistic, margin 0.2 for components, keep   0.070 / 0.080      0.072 / 0.097 / 0.104
//     starting from five components of four            0.074 / 0.080      0.077 / 0.100 / 0.108    (t-statistic 2, 2, 1)
// A task's figure moves by several per cent with any change, so that two digits of the means are chance.
constexpr double kMargin = 0.02;
constexpr double kLeadMargin = 0.1;
constexpr double kShapeMargin = 0.05;
constexpr std::size_t kShapeRest = 4;
constexpr std::uint64_t kAtFirst = 50;  // rows in which every memory and neighbour chooses its variables

// Squares of errors must neither vanish nor overflow: where an output is very small or very large, its errors are counted in a
// power of two near its first value, or near one far beyond that.
constexpr int kPlainExponent = 200;
constexpr double kMostInUnit = 0x1p200;

}  // namespace

ModelBank::ModelBank(std::size_t inputs, std::size_t outputs, const AdaptiveOptions& options)
    : p_(inputs),
      q_(outputs),
      options_(options.model),
      tuning_(possible(options.model, options.tuning)),
      lengths_(memory_lengths(inputs, outputs, options.model, tuning_.forgetting)),
      ladder_(ladder(inputs, options.model, tuning_)),
      rung_(ladder_.start),
      recent_(inputs, outputs),
      change_point_(recent_.most()),
      units_(outputs, kPlainExponent, kMostInUnit),
      scale_(outputs),
      stability_(inputs),
      alarm_(inputs, outputs),
      forecast_errors_(outputs, 0.0),
      relation_errors_(outputs, 0.0),
      past_(kRemembered),
      predicted_(outputs, 0.0) {
    if (tuning_.keep && tuning_.components && !options_.names) {
        options_.names = std::min(inputs, options_.components_for(inputs) * options_.keep_for(0, inputs));
    }
    for (std::size_t place = 0; place < lengths_.size(); ++place) {
        memories_.push_back(new_memory(place));
    }
    memories_[lead_].keep_neighbours(tuning_.keep, ladder_, rung_);
    for (auto* list : {&before_, &entered_, &left_}) {
        list->reserve(inputs + 1);
    }
    log_.reserve(2 * kLogged);
    if (!options_.gamma) {  // else the largest selection is known only when it was met
        std::size_t most = 0;
        for (const ComponentShape& shape : ladder_.rungs) {
            most = std::max(most, shape.components * shape.keep);
        }
        most = std::min({most, inputs, options_.names.value_or(inputs)});
        selected_.reserve(most);
        for (auto& selected : past_) {
            selected.reserve(most);
        }
    }
}

MemoryModel ModelBank::new_memory(std::size_t place) const {
    StreamOptions options = options_;
    options.forgetting = lengths_[place];
    MemoryModel memory(p_, q_, std::move(options), ladder_.rungs[rung_], tuning_);
    for (std::size_t k = 0; k < q_; ++k) {
        if (units_.known(k)) {
            memory.use_unit(k, units_.exponent(k));
        }
    }
    return memory;
}

void ModelBank::refresh_units(std::span<const double> y) {
    for (std::size_t k = 0; k < q_; ++k) {
        if (std::isnan(y[k])) {
            continue;
        }
        if (const auto exponent = units_.needed(k, y[k])) {
            use_unit(k, *exponent);
        }
    }
}

void ModelBank::use_unit(std::size_t output, int exponent) {
    const double before = units_.unit(output);
    units_.set(output, exponent);
    scale_.change_unit(output, units_.unit(output) / before);
    for (MemoryModel& memory : memories_) {
        memory.use_unit(output, exponent);
    }
}

void ModelBank::predict(std::span<const double> x, std::span<double> y) const {
    lead().model().predict(x, y);
    for (std::size_t k = 0; k < q_; ++k) {
        y[k] = core::finite(y[k] + lead().drift(k));
    }
}

// One-step square over the outputs' variance, mean over those observed; negative where no output has varied yet.
double ModelBank::row_error(const MemoryModel& memory, std::span<const double> y) const {
    double sum = 0.0;
    std::size_t count = 0;
    for (std::size_t k = 0; k < q_; ++k) {
        if (!std::isnan(y[k]) && scale_.variance(k) > 0.0) {
            const double error = core::finite(y[k] - memory.predicted(k)) * units_.unit(k);
            sum += std::min(error * error / scale_.variance(k), 1e100);
            ++count;
        }
    }
    return count > 0 ? sum / static_cast<double>(count) : -1.0;
}

StepReport ModelBank::learn(std::span<const double> x, std::span<const double> y, bool in_range) {
    decided_now_ = 0;
    won_now_ = 0;
    for (MemoryModel& memory : memories_) {
        memory.predict(x);
    }
    for (std::size_t k = 0; k < q_; ++k) {
        predicted_[k] = lead().predicted(k);
    }
    for (std::size_t k = 0; k < q_; ++k) {  // NaN where the output is missing
        const auto error = [&](double predicted) { return std::isnan(y[k]) ? y[k] : core::finite(y[k] - predicted); };
        forecast_errors_[k] = error(predicted_[k]);
        relation_errors_[k] = error(memories_.front().predicted(k) - memories_.front().drift(k));
    }
    const double longest = row_error(memories_.front(), y);
    const double fresh = on_trial_ ? row_error(memories_.back(), y) : -1.0;
    refresh_units(y);
    for (MemoryModel& memory : memories_) {
        memory.score(y, scale_.scale());
    }
    scale_.add(y, {units_.units(), q_});
    before_.assign(selected_.begin(), selected_.end());
    for (std::size_t place = 0; place < memories_.size(); ++place) {
        // A memory that does not lead chooses its variables again in every second row, a neighbour in every fourth.
        const bool update_selection =
            place == lead_ || place == lengths_.size() || rows_met_ < kAtFirst || (rows_met_ + place) % 2 == 0;
        const std::size_t neighbour = rows_met_ < kAtFirst ? MemoryModel::kAllNeighbours : rows_met_ % 4;
        memories_[place].learn(x, y, in_range, before_, update_selection, neighbour);
    }
    StepReport report{.row = rows_met_++};
    memories_[lead_].describe(report);  // before a decision changes what predicts
    report.predicted = predicted_;
    report.error_before = core::error_of(y, predicted_);
    if (report.outcome != Outcome::outputs_missing) {
        decide(x, y, longest, fresh);
    }
    const auto selected = lead().model().selected();
    selected_.assign(selected.begin(), selected.end());
    core::compare(before_, selected_, entered_, left_);
    stability_.add(selected_);
    if (tuning_.alarms && report.outcome != Outcome::outputs_missing) {
        raise_alarm(x, report);
    }
    past_[report.row % kRemembered] = selected_;
    report.forgetting = lead().forgetting();
    report.selected = selected_;
    report.entered = entered_;
    report.left = left_;
    report.components = lead().components();
    report.keep = ladder_.rungs[rung_].keep;
    report.shrinkage = lead().shrinkage();
    report.decisions = std::span(log_).last(decided_now_);
    return report;
}

bool ModelBank::dwell_elapsed(Setting setting, std::size_t times) const {
    return (rows_met_ - changed_[static_cast<std::size_t>(setting)]) / times >= tuning_.dwell;
}

void ModelBank::log(Setting setting, const MemoryModel::Change& change) {
    changed_[static_cast<std::size_t>(setting)] = rows_met_;
    if (log_.size() >= 2 * kLogged) {
        log_.erase(log_.begin(), log_.begin() + static_cast<std::ptrdiff_t>(kLogged));
    }
    log_.push_back({.row = rows_met_ - 1,
                    .setting = setting,
                    .from = change.from,
                    .to = change.to,
                    .measured_from = change.measured_from,
                    .measured_to = change.measured_to});
    ++decided_now_;
}

void ModelBank::decide(std::span<const double> x, std::span<const double> y, double longest, double fresh) {
    if (tuning_.forgetting) {
        try_fresh_start(x, y, longest, fresh);
        choose_lead();
    }
    const auto scale = scale_.scale();
    const bool shrinkage_rested = dwell_elapsed(Setting::shrinkage, 1);
    const bool components_rested = dwell_elapsed(Setting::components, 1);
    for (std::size_t place = 0; place < memories_.size(); ++place) {
        if (tuning_.shrinkage && shrinkage_rested) {
            if (const auto change = memories_[place].choose_shrinkage(scale, kMargin); change && place == lead_) {
                log(Setting::shrinkage, *change);
            }
        }
        if (tuning_.components && components_rested) {
            if (const auto change = memories_[place].choose_components(scale, kShapeMargin); change && place == lead_) {
                log(Setting::components, *change);
            }
        }
    }
    if (tuning_.keep && dwell_elapsed(Setting::keep, kShapeRest)) {
        if (const auto change = memories_[lead_].choose_shape(scale, kShapeMargin, ladder_, rung_)) {
            for (std::size_t place = 0; place < memories_.size(); ++place) {
                if (place != lead_) {
                    memories_[place].take_shape(ladder_.rungs[rung_]);
                }
            }
            memories_[lead_].keep_neighbours(true, ladder_, rung_);
            log(Setting::keep, *change);
        }
    }
}

void ModelBank::choose_lead() {
    if (!dwell_elapsed(Setting::forgetting, 1)) {
        return;
    }
    const auto scale = scale_.scale();
    const double own = lead().loss(scale);
    std::size_t best = lead_;
    double least = own * (1.0 - kLeadMargin);
    for (std::size_t place = 0; place < lengths_.size(); ++place) {  // a challenger does not lead
        const double loss = memories_[place].loss(scale);
        if (place != lead_ && loss < least) {
            least = loss;
            best = place;
        }
    }
    if (best == lead_) {
        return;
    }
    take_lead(best, own, least);
}

void ModelBank::take_lead(std::size_t place, double own, double least) {
    log(Setting::forgetting,
        {.from = lead().forgetting(), .to = memories_[place].forgetting(), .measured_from = own, .measured_to = least});
    memories_[lead_].keep_neighbours(false, ladder_, rung_);
    lead_ = place;
    memories_[lead_].keep_neighbours(tuning_.keep, ladder_, rung_);
}

void ModelBank::raise_alarm(std::span<const double> x, StepReport& report) {
    auto found = alarm_.add(x, forecast_errors_, relation_errors_);
    if (won_now_ > 0 && !found) {
        found = alarm_.fresh_start(won_now_);
    }
    if (!found) {
        return;
    }
    const auto rows = std::min<std::uint64_t>({found->rows, report.row, kRemembered - 1});
    report.outcome = Outcome::drift;
    report.alarm.since = report.row + 1 - std::min<std::uint64_t>(found->rows, report.row + 1);
    report.alarm.error = found->kind != DriftAlarm::Kind::inputs;
    const auto& then = past_[(report.row - rows) % kRemembered];
    core::compare(then, selected_, alarm_entered_, alarm_left_);
    report.alarm.entered = alarm_entered_;
    report.alarm.left = alarm_left_;
}

std::vector<double> ModelBank::drift() const {
    std::vector<double> drift(q_);
    for (std::size_t k = 0; k < q_; ++k) {
        drift[k] = lead().drift(k);
    }
    return drift;
}

std::vector<double> ModelBank::errors_by_components() const {
    std::vector<double> errors;
    for (const ErrorTrack& track : lead().by_components()) {
        errors.push_back(track.loss(scale_.scale()));
    }
    return errors;
}

std::size_t ModelBank::bytes() const {
    std::size_t sum = recent_.bytes();
    for (const MemoryModel& memory : memories_) {
        sum += memory.model().bytes();
    }
    return sum;
}

}  // namespace sluice::tune
