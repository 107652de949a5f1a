#include "model_events.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "json_text.hpp"

namespace sluice::job {

namespace {

std::vector<std::string> named(std::span<const std::size_t> inputs, const std::vector<std::string>& names) {
    std::vector<std::string> out;
    out.reserve(inputs.size());
    for (const std::size_t input : inputs) {
        out.push_back(names[input]);
    }
    return out;
}

std::string json_list(const std::vector<std::string>& texts) {
    std::string out;
    io::JsonWriter(out, io::JsonWriter::compact).list(texts);
    return out;
}

// `count` may be larger than the number of names.
std::string some_names(const char* what, const std::vector<std::string>& names, std::size_t count) {
    constexpr std::size_t kMostNames = 5;
    if (names.empty()) {
        return {};
    }
    const std::span<const std::string> shown = std::span(names).first(std::min(names.size(), kMostNames));
    return fmt::format("; {}: {}{}", what, fmt::join(shown, ", "),
                       count > shown.size() ? fmt::format(" and {} others", count - shown.size()) : "");
}

// {"event":"drift","row":212,"since":200,"by":"error","entered":[...],"left":[...],"text":"..."}
Event drift_event(const Alarm& alarm, const EventRow& at, const std::vector<std::string>& names) {
    const std::vector<std::string> entered = named(alarm.entered, names);
    const std::vector<std::string> left = named(alarm.left, names);
    const std::uint64_t since = alarm.since + 1;
    return {.kind = EventKind::drift,
            .row = at.row,
            .time = std::string(at.time),
            .text = fmt::format("the relation changed suddenly at about row {} (seen in {}){}{}", since,
                                alarm.error ? "the errors" : "the inputs",
                                some_names("selected since", entered, entered.size()),
                                some_names("no longer selected", left, left.size())),
            .details = {{.name = "since", .json = fmt::format("{}", since)},
                        {.name = "by", .json = alarm.error ? "\"error\"" : "\"inputs\""},
                        {.name = "entered", .json = json_list(entered)},
                        {.name = "left", .json = json_list(left)}}};
}

// {"event":"suspect","row":212,"columns":["a","y"],"inputs":1,"targets":1,"text":"..."}
Event suspect_event(const StepReport& report, const EventRow& at, const std::vector<std::string>& inputs,
                    const std::vector<std::string>& targets) {
    static constexpr std::size_t kMostColumns = 20;
    const auto first = [](std::span<const std::size_t> all) { return all.first(std::min(all.size(), kMostColumns)); };
    const std::vector<std::string> of_inputs = named(first(report.suspect_inputs), inputs);
    const std::vector<std::string> of_targets = named(first(report.suspect_outputs), targets);
    std::vector<std::string> columns = of_inputs;
    columns.insert(columns.end(), of_targets.begin(), of_targets.end());
    std::string text = "values that cannot be believed";
    if (columns.empty()) {
        text = "the row is held back with the suspect rows before it";
    } else if (of_inputs.empty() && report.missing_inputs > 0) {  // the prediction may be what is wrong
        text = fmt::format("the prediction is too far off to learn from, with {} missing in this row",
                           report.missing_inputs == 1 ? "one input" : fmt::format("{} inputs", report.missing_inputs));
    }
    text += some_names("inputs that count as missing", of_inputs, report.suspect_inputs.size());
    text += some_names("targets that are held back", of_targets, report.suspect_outputs.size());
    return {.kind = EventKind::suspect,
            .row = at.row,
            .time = std::string(at.time),
            .columns = std::move(columns),
            .text = std::move(text),
            .details = {{.name = "inputs", .json = fmt::format("{}", report.suspect_inputs.size())},
                        {.name = "targets", .json = fmt::format("{}", report.suspect_outputs.size())}}};
}

}  // namespace

void raise_model_events(EventLog& events, const StepReport& report, const EventRow& at,
                        const std::vector<std::string>& inputs, const std::vector<std::string>& targets) {
    if (report.outcome == Outcome::drift) {
        events.raise(drift_event(report.alarm, at, inputs));
    } else if (report.outcome == Outcome::suspect) {
        events.raise(suspect_event(report, at, inputs, targets));
    }
}

}  // namespace sluice::job
