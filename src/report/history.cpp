#include "history.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "sluice/error.hpp"

namespace sluice::report {

namespace {

constexpr std::size_t kTargetsWithAllBins = 8;
constexpr std::size_t kFewestBins = 256;

std::size_t bins_for(const History::Settings& settings) {
    std::size_t bins = std::max<std::size_t>(settings.bins, 2);
    for (std::size_t targets = kTargetsWithAllBins; targets < settings.targets.size() && bins > kFewestBins;
         targets *= 2) {
        bins /= 2;
    }
    return bins;
}

bool none_known(std::span<const double> values) {
    return std::ranges::all_of(values, [](double value) { return std::isnan(value); });
}

// An input that several components have counts once.
std::size_t names_in_use(std::span<const Use> uses) {
    if (std::ranges::all_of(uses, [&](const Use& use) { return use.component == uses.front().component; })) {
        return uses.size();
    }
    std::vector<std::size_t> names;
    names.reserve(uses.size());
    for (const Use& use : uses) {
        names.push_back(use.variable);
    }
    std::ranges::sort(names);
    return static_cast<std::size_t>(std::ranges::unique(names).begin() - names.begin());
}

}  // namespace

void History::RowBin::join(const RowBin& other) {
    rows += other.rows;
    forgetting.join(other.forgetting);
    shrinkage.join(other.shrinkage);
    last_value_share.join(other.last_value_share);
    names.join(other.names);
}

History::History(Settings settings)
    : settings_(std::move(settings)),
      bins_(bins_for(settings_)),
      lines_(std::min(settings_.targets.size(), kMostTargets)),
      presence_(settings_.presence),
      events_(settings_.events),
      known_(settings_.targets.size()) {}

void History::make_room(std::uint64_t row) {
    while (!bins_.has_room_for(row)) {
        bins_.widen();
        join_neighbours(row_bins_);
        for (std::vector<TargetBin>& line : lines_) {
            join_neighbours(line);
        }
        time_.join_bins();
        presence_.join_bins();
    }
    const std::size_t bin = bins_.of(row);
    if (bin >= row_bins_.size()) {
        row_bins_.resize(bin + 1);
        for (std::vector<TargetBin>& line : lines_) {
            line.resize(bin + 1);
        }
    }
}

History::Shape History::shape() const {
    return {.rows_per_bin = bins_.rows_per_bin(),
            .shortest_gap = presence_.shortest_gap(),
            .bins_per_cell = presence_.bins_per_cell(),
            .merged_events = events_.merged_within(),
            .time = time_.kind(),
            .time_meaning = time_.meaning_number(),
            .has_interval = has_interval_,
            .has_weights = has_weights_,
            .has_tuning = has_tuning_,
            .has_forecast = has_forecast_};
}

History History::continued() const {
    History next(settings_);
    next.time_ = time_.continued();
    next.presence_ = presence_.continued();
    next.known_ = known_;
    next.made_ = made_;
    next.forecasts_arrive_ = forecasts_arrive_;
    next.unlabelled_ = unlabelled_;
    next.has_forecast_ = has_forecast_;
    next.has_interval_ = has_interval_;
    next.has_weights_ = has_weights_;
    next.has_tuning_ = has_tuning_;
    return next;
}

Mark History::mark() {
    oldest_label_ = 0;
    return {.first_row = first_row(), .row = last_row_, .revision = revision_};
}

void History::add(const StreamRow& row) {
    const Shape before = shape();
    if (row.label_of > 0) {
        add_label(row);
    } else {
        add_row(row);
    }
    revision_ += shape() == before ? 0U : 1U;
}

void History::add_row(const StreamRow& row) {
    if (rows_ > 0 && row.row <= last_row_) {
        throw DataError(
            fmt::format("row {} comes after row {}: give the records of one run, in their order", row.row, last_row_));
    }
    if (rows_ == 0) {
        bins_.begin(row.row);
    }
    make_room(row.row);
    const std::size_t bin = bins_.of(row.row);
    time_.add(bin, row.time);
    RowBin& of_row = row_bins_[bin];
    ++of_row.rows;
    add_tuned(of_row, row);
    has_weights_ = has_weights_ || (!row.uses.empty() && !std::isnan(row.uses.front().weight));
    presence_.add(row, last_row_, bin);
    of_row.names.add(static_cast<double>(names_in_use(row.uses)));
    last_uses_.assign(row.uses.begin(), row.uses.end());
    add_to_lines(row);
    for (const StreamEvent& event : row.events) {
        events_.add(event);
    }
    ++rows_;
    last_row_ = row.row;
}

void History::note_weights_now(std::span<const Use> uses) {
    for (Use& use : last_uses_) {
        const auto at = std::ranges::find(uses, use.variable, &Use::variable);
        if (at != uses.end() && std::isnan(use.weight)) {
            use.weight = at->weight;
            use.gain = at->gain;
        }
    }
}

void History::add_tuned(RowBin& bin, const StreamRow& row) {
    bin.forgetting.add(row.forgetting);
    bin.shrinkage.add(row.shrinkage);
    bin.last_value_share.add(row.last_value_share);
    has_tuning_ = has_tuning_ || !std::isnan(row.last_value_share);
}

// With a horizon, the first forecast that arrives was the first that was made: the rows between them are the horizon.
std::vector<Known> History::known_when_predicted(const StreamRow& row) {
    if (row.forecast.empty()) {
        return known_;
    }
    has_forecast_ = true;
    forecasts_arrive_ = forecasts_arrive_ || !none_known(row.predicted);
    if (!forecasts_arrive_ || made_.empty()) {
        return std::vector<Known>(known_.size());
    }
    std::vector<Known> then = std::move(made_.front());
    made_.pop_front();
    return then;
}

void History::add_to_lines(const StreamRow& row) {
    const std::size_t bin = bins_.of(row.row);
    const std::vector<Known> then = known_when_predicted(row);
    const bool scored = row.row > settings_.warmup;
    const bool unlabelled = none_known(row.observed);
    if (unlabelled && row.forecast.empty()) {
        unlabelled_.emplace_hint(unlabelled_.end(), row.row, known_);
        if (unlabelled_.size() > kMostPendingRows) {
            unlabelled_.erase(unlabelled_.begin());
        }
    }
    for (std::size_t j = 0; j < known_.size(); ++j) {
        if (j < lines_.size()) {
            TargetBin& at = lines_[j][bin];
            at.predicted.add(row.predicted[j]);
            at.observed.add(row.observed[j]);
            if (!row.low.empty()) {
                has_interval_ = true;
                at.low.add(row.low[j]);
                at.high.add(row.high[j]);
                count_inside(at, row.low[j], row.high[j], scored ? row.observed[j] : kUnknown);
            }
            if (scored) {
                add_score(
                    at, {.row = row.row, .predicted = row.predicted[j], .observed = row.observed[j], .known = then[j]});
            }
        }
        known_[j].learn(row.observed[j]);
    }
    if (!none_known(row.forecast) && made_.size() < kMostPendingRows) {
        made_.push_back(known_);
    }
}

// The model learns it now; what it says about the target belongs to the row of the label.
void History::add_label(const StreamRow& row) {
    presence_.note(row.reasons);
    if (!row_bins_.empty()) {
        add_tuned(row_bins_.back(), row);
    }
    const auto then = unlabelled_.find(row.label_of);
    const bool shown = rows_ > 0 && row.label_of >= bins_.first_row() && row.label_of <= last_row_;
    if (shown) {
        oldest_label_ = std::min(oldest_change(), row.label_of);
    }
    for (std::size_t j = 0; j < known_.size(); ++j) {
        if (shown && j < lines_.size()) {
            TargetBin& at = lines_[j][bins_.of(row.label_of)];
            at.observed.add(row.observed[j]);
            if (!row.low.empty()) {
                count_inside(at, row.low[j], row.high[j], row.observed[j]);
            }
            if (then != unlabelled_.end() && row.label_of > settings_.warmup) {
                add_score(at, {.row = row.label_of,
                               .predicted = row.predicted[j],
                               .observed = row.observed[j],
                               .known = then->second[j]});
            }
        }
        known_[j].learn(row.observed[j]);
    }
    for (const StreamEvent& event : row.events) {
        events_.add(event);
    }
}

}  // namespace sluice::report
