// stream.cpp -- rows through a model, each predicted before it is learnt.
#include "stream.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <unordered_set>
#include <utility>

#include "sluice/error.hpp"

namespace sluice::python {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

void set_interval(const std::optional<Interval>& interval, std::size_t at, const Results& results) {
    if (results.low != nullptr) {
        results.low[at] = interval ? interval->low : kNone;
        results.high[at] = interval ? interval->high : kNone;
    }
}

// The caller's memory may be changed by another thread while the interpreter's lock is released. The model reads a row
// several times, and must meet the same values each time.
std::span<const double> copied(std::span<const double> row, std::vector<double>& copy) {
    copy.assign(row.begin(), row.end());
    return copy;
}

std::vector<std::size_t> own(std::span<const std::size_t> list) {
    return {list.begin(), list.end()};
}

}  // namespace

void Report::copy(const StepReport& report) {
    step = report;
    predicted.assign(report.predicted.begin(), report.predicted.end());
    selected.assign(report.selected.begin(), report.selected.end());
    entered.assign(report.entered.begin(), report.entered.end());
    left.assign(report.left.begin(), report.left.end());
    suspect_inputs.assign(report.suspect_inputs.begin(), report.suspect_inputs.end());
    suspect_outputs.assign(report.suspect_outputs.begin(), report.suspect_outputs.end());
}

InUse::InUse(std::atomic<int>& users, As as) : users_(users), as_(as) {
    int now = users_.load();
    do {
        if (now < 0 || (now > 0 && as == As::writer)) {
            throw std::runtime_error(kAnotherThread);
        }
    } while (!users_.compare_exchange_weak(now, as == As::writer ? -1 : now + 1));
}

InUse::~InUse() {
    if (as_ == As::writer) {
        users_.store(0);
    } else {
        users_.fetch_sub(1);
    }
}

Stream::Stream(NamedModel named, std::optional<double> coverage)
    : named_(std::move(named)),
      scores_(model().outputs()),
      observed_(model().outputs(), model().current().rows_learned() > 0),
      given_(model().outputs()) {
    if (coverage) {
        intervals_.emplace(model().outputs(), IntervalOptions{.coverage = *coverage});
    }
}

void Stream::predict(const Rows& x, Results results) const {
    const std::size_t q = model().outputs();
    thread_local std::vector<double> inputs;
    for (std::size_t row = 0; row < x.count(); ++row) {
        double* const predicted = results.predicted + (row * q);
        model().predict(copied(x[row], inputs), {predicted, q});
        for (std::size_t k = 0; k < q; ++k) {
            set_interval(intervals_ ? intervals_->interval(k, predicted[k]) : std::nullopt, (row * q) + k, results);
        }
    }
}

void Stream::learn(const Rows& x, const Rows& y, Results results) {
    const std::size_t q = model().outputs();
    for (std::size_t row = 0; row < x.count(); ++row) {
        // The intervals are those known before the row's outputs.
        const std::span<const double> outputs = copied(y[row], outputs_);
        const StepReport report = named_.model.learn(copied(x[row], inputs_), outputs);
        for (std::size_t k = 0; k < q; ++k) {
            const double predicted = report.predicted[k];
            given_[k] = intervals_ ? intervals_->interval(k, predicted) : std::nullopt;
            set_interval(given_[k], (row * q) + k, results);
            if (results.predicted != nullptr) {
                results.predicted[(row * q) + k] = predicted;
            }
            if (observed_[k]) {
                scores_[k].add(outputs[k], predicted);
            }
            if (observed_[k] && intervals_) {
                intervals_->add(k, {.predicted = predicted, .observed = outputs[k], .given = given_[k]});
            }
            observed_[k] = observed_[k] || !std::isnan(outputs[k]);
        }
        note(report);
        if (row + 1 == x.count()) {
            if (!report_) {
                report_.emplace();
            }
            report_->copy(report);
        }
    }
}

void Stream::note(const StepReport& report) {
    for (const Decision& decision : report.decisions) {
        const bool of_input = decision.setting != Setting::fresh_start;
        add_event({.row = decision.row,
                   .kind = std::string(name_of(decision.setting)),
                   .inputs = of_input ? std::vector{decision.input} : std::vector<std::size_t>{},
                   .outputs = {},
                   .from = decision.from,
                   .to = decision.to});
    }
    if (report.outcome == Outcome::drift) {
        add_event({.row = report.row,
                   .kind = "drift",
                   .inputs = own(report.alarm.entered),
                   .outputs = {},
                   .from = static_cast<double>(report.alarm.since),
                   .to = 0.0});
    } else if (report.outcome == Outcome::suspect) {
        add_event({.row = report.row,
                   .kind = "suspect",
                   .inputs = own(report.suspect_inputs),
                   .outputs = own(report.suspect_outputs),
                   .from = 0.0,
                   .to = 0.0});
    }
}

void Stream::add_event(Event event) {
    if (events_.size() == kEvents) {
        events_.pop_front();
    }
    events_.push_back(std::move(event));
    ++events_noted_;
}

void Stream::rename(std::vector<std::string> inputs, std::vector<std::string> targets) {
    if (inputs.size() != model().inputs() || targets.size() != model().outputs()) {
        throw DataError("names: " + std::to_string(inputs.size()) + " inputs and " + std::to_string(targets.size()) +
                        " targets, the model has " + std::to_string(model().inputs()) + " and " +
                        std::to_string(model().outputs()));
    }
    named_.roles.inputs = std::move(inputs);
    named_.roles.targets = std::move(targets);
    named_.layout = {};
}

void Stream::add_inputs(const std::vector<std::string>& names) {
    std::vector<std::string> inputs = named_.input_names();
    std::unordered_set<std::string> known(inputs.begin(), inputs.end());
    for (const std::string& name : names) {
        if (!known.insert(name).second) {
            throw DataError("the model has an input named " + name + " already");
        }
        inputs.push_back(name);
    }
    named_.model.add_inputs(names.size());
    named_.roles.inputs = std::move(inputs);
    named_.layout = {};
}

Stream::Beside Stream::beside() const {
    Beside beside;
    if (intervals_) {
        beside.intervals = intervals_->save();
    }
    for (const Score& score : scores_) {
        beside.scores.push_back(score.sums());
    }
    beside.observed = observed_;
    beside.events = events_;
    return beside;
}

Stream::Stream(NamedModel named, Beside beside) : Stream(std::move(named), std::optional<double>()) {
    if (beside.scores.size() != scores_.size()) {
        throw StateError("saved Python model: " + std::to_string(beside.scores.size()) + " scores for " +
                         std::to_string(scores_.size()) + " outputs");
    }
    for (std::size_t k = 0; k < scores_.size(); ++k) {
        const auto& [count, mean, spread, error, exponent] = beside.scores[k];
        if (!std::isfinite(mean) || !std::isfinite(spread) || !std::isfinite(error) || spread < 0.0 || error < 0.0 ||
            std::abs(exponent) > 1000) {
            throw StateError("saved Python model: the score of output " + std::to_string(k) + " is out of range");
        }
        scores_[k].restore(beside.scores[k]);
    }
    if (!beside.intervals.empty()) {
        intervals_ = IntervalTracker::load(beside.intervals);
        if (intervals_->outputs() != model().outputs()) {
            throw StateError("saved Python model: the intervals are of another number of outputs");
        }
    }
    if (beside.events.size() > kEvents) {
        throw StateError("saved Python model: " + std::to_string(beside.events.size()) + " events, at most " +
                         std::to_string(kEvents) + " are kept");
    }
    observed_ = std::move(beside.observed);
    events_ = std::move(beside.events);
    for (const Event& event : events_) {
        const auto beyond = [](const std::vector<std::size_t>& list, std::size_t end) {
            return std::any_of(list.begin(), list.end(), [end](std::size_t index) { return index >= end; });
        };
        if (!std::isfinite(event.from) || !std::isfinite(event.to)) {
            throw StateError("saved Python model: an event of row " + std::to_string(event.row) + " is out of range");
        }
        if (beyond(event.inputs, model().inputs()) || beyond(event.outputs, model().outputs())) {
            throw StateError("saved Python model: an event of row " + std::to_string(event.row) +
                             " names a column that the model does not have");
        }
    }
}

}  // namespace sluice::python
