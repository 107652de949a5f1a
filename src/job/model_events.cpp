#include "model_events.hpp"

#include <fmt/format.h>

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

std::string some_names(const char* what, const std::vector<std::string>& names) {
    constexpr std::size_t kShown = 5;
    if (names.empty()) {
        return {};
    }
    const std::span<const std::string> shown = std::span(names).first(std::min(names.size(), kShown));
    return fmt::format("; {}: {}{}", what, fmt::join(shown, ", "),
                       names.size() > kShown ? fmt::format(" and {} others", names.size() - kShown) : "");
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
                                alarm.error ? "the errors" : "the inputs", some_names("selected since", entered),
                                some_names("no longer selected", left)),
            .details = {{.name = "since", .json = fmt::format("{}", since)},
                        {.name = "by", .json = alarm.error ? "\"error\"" : "\"inputs\""},
                        {.name = "entered", .json = json_list(entered)},
                        {.name = "left", .json = json_list(left)}}};
}

}  // namespace

void raise_model_events(EventLog& events, const StepReport& report, const EventRow& at,
                        const std::vector<std::string>& input_names) {
    if (report.outcome == Outcome::drift) {
        events.raise(drift_event(report.alarm, at, input_names));
    }
    // Outcome::suspect is connected here, with EventKind::suspect and the column that is suspect.
}

}  // namespace sluice::job
