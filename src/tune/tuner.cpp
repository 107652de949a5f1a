// tuner.cpp -- a row through the self-tuning model. learn() is the whole way.
#include "tuner.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "changes.hpp"
#include "row_check.hpp"

namespace sluice::tune {

namespace {

// Squares of errors must neither vanish nor overflow: where an output is very small or very large, its errors are counted in a
// power of two near its first value, or near one far beyond that.
constexpr int kPlainExponent = 200;
constexpr double kMostInUnit = 0x1p200;

constexpr std::uint64_t kFirstRowsOfPath = 40;  // in which the path may change at six places a row
constexpr std::size_t kFirstExchanges = 6;
constexpr std::size_t kExchanges = 2;
constexpr std::size_t kShortestPath = 8;  // else twice the names in use and two more
constexpr double kLeastVote = 0.05;       // memories with less weight do not choose variables
constexpr double kLeads = 1.0 + 1e-9;     // a memory leads only where its weight is larger by more than rounding

}  // namespace

Tuner::Tuner(std::size_t inputs, std::size_t outputs, const AdaptiveOptions& options, std::size_t first_inputs)
    : p_(inputs),
      q_(outputs),
      options_(options.model),
      plan_(inputs, outputs, options, first_inputs),
      mixes_(plan_.readings.grid.memories, 1),
      vote_(plan_.readings.grid.memories, 0.0),
      mixture_(outputs, plan_.readings.grid),
      size_choice_(plan_.readings.sizes.size()),
      recent_(inputs, outputs),
      change_point_(recent_.most()),
      units_(outputs, kPlainExponent, kMostInUnit),
      scale_(outputs),
      range_(outputs),
      bounds_(outputs),
      stability_(inputs),
      alarm_(inputs, outputs),
      forecast_errors_(outputs, 0.0),
      relation_errors_(outputs, 0.0),
      past_(kRemembered),
      base_(outputs * plan_.readings.grid.cells(), 0.0),
      forecasts_(outputs),
      losses_(plan_.readings.sizes.size(), 0.0),
      by_size_(plan_.readings.sizes.size(), 0.0),
      variances_(outputs, 0.0),
      predicted_(outputs, 0.0) {
    for (std::size_t b = 0; b < plan_.readings.grid.memories; ++b) {
        memories_.emplace_back(inputs, outputs, plan_.options_of(b, options_), plan_.readings);
    }
    if (plan_.fresh_starts()) {
        mixes_[fresh()] = 0;
    }
    const std::size_t most = plan_.readings.path ? plan_.readings.sizes.back() : 0;
    paths_.assign(plan_.own_paths ? plan_.readings.grid.memories : 1, Path(inputs, outputs, most));
    trial_prediction_.assign(outputs, 0.0);
    voters_.reserve(plan_.readings.grid.memories);
    for (auto* list : {&before_, &entered_, &left_, &selected_, &alarm_entered_, &alarm_left_}) {
        list->reserve(inputs + 1);
    }
    for (auto& selected : past_) {
        selected.reserve(std::min(inputs, std::max<std::size_t>(most * paths_.size(), kSizes.back())));
    }
    importances_.reserve(inputs);
    log_.reserve(4 * kLogged);
    rung_ = plan_.readings.path && plan_.tuning.names == Names::found ? 0 : plan_.readings.sizes.size() - 1;
    mixture_.weigh(mixes_, rung_ + 1, plan_.readings.path ? Mixture::kAll : lead_);
}

std::span<const double> Tuner::base_of(std::size_t output) const {
    const std::size_t cells = plan_.readings.grid.cells();
    return std::span(base_).subspan(output * cells, cells);
}

void Tuner::predict(std::span<const double> x, std::span<double> y) const {
    thread_local std::vector<double> base;
    const std::size_t cells = plan_.readings.grid.memory_cells();
    base.resize(q_ * cells);
    for (std::size_t k = 0; k < q_; ++k) {
        y[k] = mixture_.offset(k);
    }
    for (std::size_t b = 0; b < memories_.size(); ++b) {
        if (mixes_[b] == 0) {
            continue;
        }
        memories_[b].predict(x, bounds_, base.data(), cells, plan_.readings);
        for (std::size_t k = 0; k < q_; ++k) {
            y[k] += mixture_.part(k, b, std::span(base).subspan(k * cells, cells));
        }
    }
    for (std::size_t k = 0; k < q_; ++k) {
        y[k] = core::finite(y[k] / units_.unit(k));
    }
}

void Tuner::predict_all(std::span<const double> x) {
    const Grid& grid = plan_.readings.grid;
    for (std::size_t b = 0; b < memories_.size(); ++b) {
        if (reads(b)) {
            memories_[b].predict(x, bounds_, base_.data() + grid.cell(b, 0, 0), grid.cells(), plan_.readings);
        }
    }
    for (std::size_t k = 0; k < q_; ++k) {
        // Memory by memory, as predict() adds: the same bits.
        forecasts_[k] = mixture_.forecast(k, base_of(k));
        double value = mixture_.offset(k);
        for (std::size_t b = 0; b < memories_.size(); ++b) {
            if (mixes_[b] != 0) {
                value += mixture_.part(k, b, base_of(k).subspan(grid.cell(b, 0, 0), grid.memory_cells()));
            }
        }
        forecasts_[k].value = value;
        predicted_[k] = core::finite(value / units_.unit(k));
    }
}

void Tuner::refresh_units(std::span<const double> y) {
    for (std::size_t k = 0; k < q_; ++k) {
        if (std::isnan(y[k])) {
            continue;
        }
        if (const auto exponent = units_.needed(k, y[k])) {
            use_unit(k, *exponent);
        }
    }
}

void Tuner::use_unit(std::size_t output, int exponent) {
    const double before = units_.unit(output);
    units_.set(output, exponent);
    const double times = units_.unit(output) / before;
    scale_.change_unit(output, times);
    mixture_.change_unit(output, times);
    range_[output].low *= times;
    range_[output].high *= times;
    const std::size_t cells = plan_.readings.grid.cells();
    for (double& base : std::span(base_).subspan(output * cells, cells)) {
        base *= times;
    }
    forecasts_[output].value *= times;
    for (double& value : forecasts_[output].by_discount) {
        value *= times;
    }
    set_bounds(output);
}

void Tuner::set_bounds(std::size_t output) {
    const Range& range = range_[output];
    const double wider = kRange * (range.high - range.low);
    bounds_[output] = {.exponent = units_.known(output) ? units_.exponent(output) : 0,
                       .low = range.low - wider,
                       .high = range.high + wider};
}

void Tuner::widen_range(std::size_t output, double y) {
    Range& range = range_[output];
    range.low = range.known ? std::min(range.low, y) : y;
    range.high = range.known ? std::max(range.high, y) : y;
    range.known = true;
    set_bounds(output);
}

StepReport Tuner::learn(std::span<const double> x, std::span<const double> y, bool in_range, bool foreseen) {
    won_now_ = 0;
    if (!foreseen) {
        predict_all(x);
    }
    refresh_units(y);
    const double longest = row_error(0, y);
    const double of_fresh = reads(fresh()) && plan_.fresh_starts() ? row_error(fresh(), y) : -1.0;
    note_errors(y);
    score(y);
    Outcome outcome = Outcome::learned;
    for (std::size_t b = 0; b < memories_.size(); ++b) {
        if (reads(b)) {
            const Outcome of_memory = memories_[b].learn(x, y, in_range, predicted_, true, plan_.readings);
            outcome = b == lead_ ? of_memory : outcome;
        }
    }
    StepReport report{.row = rows_met_++};
    before_.assign(selected_.begin(), selected_.end());
    if (outcome != Outcome::outputs_missing) {
        if (plan_.fresh_starts()) {
            try_fresh_start(x, y, longest, of_fresh);
        }
        update_weights();
        if (plan_.readings.path) {
            update_paths();
            choose_names();
        }
        use_weights();
        refresh_selection();
    }
    core::compare(before_, selected_, entered_, left_);
    note_changes();
    stability_.add(selected_);
    describe(report);
    report.outcome = outcome;
    if (outcome == Outcome::learned && !memories_[lead_].units().anything_varies()) {
        report.outcome = Outcome::nothing_varies;
    }
    report.predicted = predicted_;
    report.error_before = core::error_of(y, predicted_);
    report.entered = entered_;
    report.left = left_;
    if (plan_.tuning.alarms && outcome != Outcome::outputs_missing) {
        raise_alarm(x, report);
    }
    past_[report.row % kRemembered].assign(selected_.begin(), selected_.end());
    return report;
}

void Tuner::describe(StepReport& report) {
    memories_[lead_].impl().describe(report);
    double forgetting = 0.0;
    double shrinkage = 0.0;
    const auto weights = mixture_.memory_weights();
    for (std::size_t b = 0; b < memories_.size(); ++b) {
        forgetting += weights[b] * plan_.forgetting[b < fresh() ? b : 0];
    }
    for (std::size_t r = 0; r < plan_.readings.shrinkages.size(); ++r) {
        shrinkage += mixture_.shrinkage_weights()[r] * std::log(std::max(plan_.readings.shrinkages[r], 1e-300));
    }
    report.forgetting = plan_.readings.path ? std::min(forgetting, 1.0) : lead().model().options().forgetting;
    report.shrinkage = plan_.readings.path ? std::exp(shrinkage) : lead().model().options().shrinkage;
    report.components = plan_.readings.path ? 0 : lead().model().components();
    report.keep = plan_.readings.path ? 0 : options_.keep_for(0, p_);
    report.last_value_share = plan_.tuning.intercept ? mixture_.speed_weights().back() : 0.0;
    report.selected = selected_;
    report.importances = importances_;
    report.decisions = std::span(log_).last(decided_now_);
}

void Tuner::score(std::span<const double> y) {
    std::ranges::fill(losses_, 0.0);
    bool any = false;
    for (std::size_t k = 0; k < q_; ++k) {
        variances_[k] = scale_.variance(k);
        if (std::isnan(y[k])) {
            continue;
        }
        const double value = y[k] * units_.unit(k);
        if (memories_.front().moments().outputs.weight(k) == 0.0) {  // its first value: nothing predicted it
            widen_range(k, value);
            continue;
        }
        if (variances_[k] > 0.0 && plan_.readings.path) {
            mixture_.by_size(k, base_of(k), by_size_);
            for (std::size_t s = 0; s < by_size_.size(); ++s) {
                const double e = value - by_size_[s];
                losses_[s] += std::min(e * e / variances_[k], 1e6);
            }
            any = true;
        }
        mixture_.score(k, value, base_of(k), forecasts_[k], variances_[k], reads(fresh()) ? memories_.size() : fresh());
        widen_range(k, value);
    }
    if (any) {
        size_choice_.add(losses_);
    }
    scale_.add(y, {units_.units(), q_});
}

void Tuner::update_weights() {
    const auto weights = mixture_.memory_weights();
    for (std::size_t b = 0; b < vote_.size(); ++b) {
        vote_[b] = mixes_[b] != 0 ? (kSmoothing * vote_[b]) + ((1.0 - kSmoothing) * weights[b]) : 0.0;
    }
    lead_ = 0;
    for (std::size_t b = 1; b < vote_.size(); ++b) {
        lead_ = vote_[b] > kLeads * vote_[lead_] ? b : lead_;
    }
    if (!proven_ || took_over_) {
        return;
    }
    // Memories that have forgotten what was before the break are as new as the one that began there.
    double sum = 0.0;
    double since = vote_[fresh()];
    for (std::size_t b = 0; b < vote_.size(); ++b) {
        sum += vote_[b];
        if (b != fresh() && std::pow(plan_.forgetting[b], static_cast<double>(age_)) < 1.0 - kTakesOver) {
            since += vote_[b];
        }
    }
    if (since > kTakesOver * sum) {
        took_over_ = true;
        size_choice_.forget();
    }
}

void Tuner::update_paths() {
    if (!plan_.own_paths) {
        update_path(paths_.front(), Mixture::kAll);
        return;
    }
    for (std::size_t b = 0; b < memories_.size(); ++b) {
        if (reads(b)) {
            update_path(paths_[b], b);
        }
    }
}

// By all memories together, the leading one first; or by one of them.
void Tuner::update_path(Path& path, std::size_t memory) {
    static constexpr double kLeastRidge = 1e-9;
    double sum = 0.0;
    for (const double vote : vote_) {
        sum += vote;
    }
    std::array<double, kShrinkages.size()> logs{};
    for (std::size_t r = 0; r < plan_.readings.shrinkages.size(); ++r) {
        logs[r] = std::log(std::max(plan_.readings.shrinkages[r], kLeastRidge));
    }
    voters_.clear();
    auto add = [&](std::size_t b, double weight) {
        const double n = memories_[b].moments().inputs.weight();
        voters_.push_back({.memory = &memories_[b],
                           .weight = weight,
                           .ridge = (std::exp(mixture_.log_shrinkage(b, logs)) / std::max(n, 1.0)) + kLeastRidge});
    };
    if (memory != Mixture::kAll) {
        add(memory, 1.0);
    } else {
        add(lead_, vote_[lead_]);
        for (std::size_t b = 0; b < memories_.size(); ++b) {
            if (b != lead_ && vote_[b] >= kLeastVote * sum && vote_[b] > 0.0) {
                add(b, vote_[b]);
            }
        }
        double all = 0.0;
        for (const Voter& voter : voters_) {
            all += voter.weight;
        }
        for (Voter& voter : voters_) {
            voter.weight = all > 0.0 ? voter.weight / all : 1.0 / static_cast<double>(voters_.size());
        }
    }
    if (!voters_.front().memory->units().anything_varies()) {
        path.forget_blocks();
        return;
    }
    const std::size_t most = plan_.readings.sizes.back();
    const std::size_t in_use = plan_.readings.sizes[rung_];
    const std::size_t room = std::min(most, std::max(kShortestPath, (2 * in_use) + 2));
    path.update(voters_, in_use, room, rows_met_ < kFirstRowsOfPath ? kFirstExchanges : kExchanges);
}

void Tuner::choose_names() {
    for (std::size_t b = 0; b < memories_.size(); ++b) {
        if (reads(b)) {
            Path& path = paths_[plan_.own_paths ? b : 0];
            memories_[b].refit(path.variables(), plan_.readings, path.block_of(memories_[b]));
        }
    }
    if (plan_.tuning.names != Names::found) {
        return;
    }
    const auto& sizes = plan_.readings.sizes;
    std::size_t most = 0;
    while (most + 1 < sizes.size() && sizes[most + 1] <= paths_.front().variables().size()) {
        ++most;
    }
    rung_ = size_choice_.choose(rung_, most);
}

// New weights, and the fit that each memory's own model shows.
void Tuner::use_weights() {
    mixture_.weigh(mixes_, rung_ + 1, plan_.readings.path ? Mixture::kAll : lead_);
    for (std::size_t b = 0; b < memories_.size(); ++b) {
        if (reads(b)) {
            memories_[b].use(plan_.readings.path ? plan_.readings.sizes[rung_] : 1, mixture_.best_shrinkage(b),
                             plan_.readings);
        }
    }
}

// What predicts, and how much each of it does.
void Tuner::refresh_selection() {
    selected_.clear();
    importances_.clear();
    if (plan_.own_paths) {
        for (std::size_t b = 0; b < memories_.size(); ++b) {
            if (mixes_[b] != 0) {
                const auto variables = path_of(b).variables();
                selected_.insert(selected_.end(), variables.begin(), variables.end());
            }
        }
        std::ranges::sort(selected_);
        selected_.erase(std::unique(selected_.begin(), selected_.end()), selected_.end());
    } else {
        const auto own = lead().model().selected();
        selected_.assign(own.begin(), own.end());
    }
    const core::Coefficients& fit = lead().impl().step().fit();
    const auto path = path_of(lead_).variables();
    const std::size_t names = std::min(plan_.readings.path ? plan_.readings.sizes[rung_] : 0, path.size());
    for (const std::size_t input : selected_) {
        Importance importance{.input = input};
        const auto found = std::ranges::lower_bound(fit.selected, input);
        if (found != fit.selected.end() && *found == input) {
            const auto place = static_cast<std::size_t>(found - fit.selected.begin());
            double square = 0.0;
            for (std::size_t k = 0; k < q_; ++k) {
                const double beta = fit.beta[(k * fit.selected.size()) + place];
                square += beta * beta;
            }
            importance.contribution = std::min(std::sqrt(square / static_cast<double>(q_)), 1e100);
        }
        const auto on_path = std::ranges::find(path.first(names), input);
        if (on_path != path.first(names).end()) {
            importance.gain = path_of(lead_).gain(static_cast<std::size_t>(on_path - path.begin()), names);
        }
        importances_.push_back(importance);
    }
    std::ranges::sort(importances_, [](const Importance& a, const Importance& b) {
        return std::pair(b.gain, b.contribution) < std::pair(a.gain, a.contribution) ||
               (a.gain == b.gain && a.contribution == b.contribution && a.input < b.input);
    });
}

void Tuner::note_changes() {
    if (!plan_.readings.path) {
        return;
    }
    const double error = size_choice_.loss(rung_) / static_cast<double>(q_);
    const auto from = static_cast<double>(before_.size());
    const auto to = static_cast<double>(selected_.size());
    for (const std::size_t input : entered_) {
        const auto found = std::ranges::find(importances_, input, &Importance::input);
        const double gain = found == importances_.end() ? 0.0 : found->gain;
        log({.row = rows_met_ - 1,
             .setting = Setting::entered,
             .input = input,
             .from = from,
             .to = to,
             .measured_from = error + gain,
             .measured_to = error});
    }
    for (const std::size_t input : left_) {
        const auto path = path_of(lead_).variables();
        const auto place = static_cast<std::size_t>(std::ranges::find(path, input) - path.begin());
        // What it would gain if it were the next of the path.
        const double gain = place < path.size() ? path_of(lead_).gain(place, place + 1) : 0.0;
        log({.row = rows_met_ - 1,
             .setting = Setting::left,
             .input = input,
             .from = from,
             .to = to,
             .measured_from = std::max(error - gain, 0.0),
             .measured_to = error});
    }
}

void Tuner::start_report() {
    decided_now_ = 0;
    if (log_.size() > kLogged) {
        log_.erase(log_.begin(), log_.end() - static_cast<std::ptrdiff_t>(kLogged));
    }
}

void Tuner::log(const Decision& decision) {
    if (log_.size() < 4 * kLogged) {
        log_.push_back(decision);
        ++decided_now_;
    }
}

std::span<const Decision> Tuner::decisions() const {
    return std::span(log_).last(std::min(log_.size(), kLogged));
}

// Of the forecast, and of the relation: the best reading without drift of the longest memory, or of the one since the last break.
void Tuner::note_errors(std::span<const double> y) {
    const std::size_t memory = proven_ && took_over_ ? fresh() : 0;
    for (std::size_t k = 0; k < q_; ++k) {
        const double relation = base_of(k)[mixture_.best_cell(k, memory)] / units_.unit(k);
        forecast_errors_[k] = std::isnan(y[k]) ? y[k] : core::finite(y[k] - predicted_[k]);
        relation_errors_[k] = std::isnan(y[k]) ? y[k] : core::finite(y[k] - relation);
    }
}

void Tuner::raise_alarm(std::span<const double> x, StepReport& report) {
    auto found = alarm_.add(x, forecast_errors_, relation_errors_, &memories_.front().moments().inputs);
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

}  // namespace sluice::tune
