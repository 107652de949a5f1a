#include "live_history.hpp"

#include <simdjson.h>

#include <cmath>
#include <utility>

#include "event_json.hpp"
#include "sluice/adaptive_fields.hpp"

namespace sluice::report {

namespace {

constexpr std::size_t kNotYet = static_cast<std::size_t>(-1);

void add_events(std::span<const job::Event> events, std::vector<StreamEvent>& out) {
    if (events.empty()) {
        return;
    }
    simdjson::dom::parser parser;
    simdjson::dom::element list;
    const std::string json = job::events_json(events);
    if (parser.parse(json).get(list) == simdjson::SUCCESS) {
        (void)read_events(list, out);
    }
}

}  // namespace

LiveHistory::LiveHistory(std::vector<std::string> inputs, std::vector<std::string> targets, std::uint64_t warmup,
                         bool latest)
    : inputs_(std::move(inputs)),
      variables_(inputs_.size(), kNotYet),
      histories_({.targets = std::move(targets), .warmup = warmup}, latest) {}

std::size_t LiveHistory::variable(std::size_t input) {
    if (variables_[input] == kNotYet) {
        variables_[input] = histories_.variable(inputs_[input]);
    }
    return variables_[input];
}

void LiveHistory::add(const job::Record& record) {
    const AdaptiveModel& model = *record.model;
    StreamRow row{.row = record.row, .label_of = record.label_of, .time = record.time};
    row.predicted = record.step.predicted;
    row.observed = record.observed;
    if (record.intervals != nullptr) {
        row.low = record.intervals->predicted().low;
        row.high = record.intervals->predicted().high;
    }
    row.forecast = record.step.forecast;
    uses_.clear();
    if (finds_variables(model.options())) {
        for (const Importance& one : model.importances()) {
            uses_.push_back({.variable = variable(one.input), .weight = one.contribution, .gain = one.gain});
        }
    } else {
        for (std::size_t r = 0; r < model.current().components(); ++r) {
            for (const std::size_t input : model.current().selected(r)) {
                uses_.push_back({.variable = variable(input),
                                 .component = r,
                                 .weight = std::abs(model.current().weights(r)[input])});
            }
        }
    }
    row.uses = uses_;
    reasons_.clear();
    if (record.step.report) {
        const StepReport& report = *record.step.report;
        row.forgetting = report.forgetting;
        if (model.options().tuning.any()) {
            row.shrinkage = report.shrinkage;
            row.last_value_share = report.last_value_share;
        }
        for (const Decision& decision : report.decisions) {
            if (decision.setting == Setting::entered) {
                reasons_.push_back({.variable = variable(decision.input),
                                    .error_without = decision.measured_from,
                                    .error_with = decision.measured_to});
            }
        }
    }
    row.reasons = reasons_;
    events_.clear();
    add_events(record.events, events_);
    row.events = events_;
    histories_.add(row);
}

}  // namespace sluice::report
