#include "event_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace sluice::job {

std::string event_line(const Event& event) {
    if (!follows_from_rows(event.kind)) {
        return event.text;
    }
    return fmt::format("row {}{}{}: {}", event.row, event.time.empty() ? "" : ", ", event.time, event.text);
}

void EventLines::show(const Event& event, Clock::time_point now) {
    OfKind& kind = kinds_[static_cast<std::size_t>(event.kind)];
    const double passed = std::chrono::duration<double>(now - kind.last).count();
    kind.allowed = std::min(kLinesAtOnce, kind.allowed + (passed / kSecondsPerLine));
    kind.last = now;
    if (kind.allowed < 1.0) {
        ++kind.left_out;
        return;
    }
    kind.allowed -= 1.0;
    std::string text = event_line(event);
    if (kind.left_out > 0) {
        text += fmt::format(" ({} more of kind {} were not shown)", kind.left_out, name_of(event.kind));
        kind.left_out = 0;
    }
    message_({.severity = is_warning(event.kind) ? Message::Severity::warning : Message::Severity::note,
              .text = std::move(text)});
}

}  // namespace sluice::job
