#include "event_log.hpp"

#include <string>
#include <utility>

#include "names_state.hpp"
#include "state.hpp"

namespace sluice::job {

void EventLog::raise(Event event) {
    ++counts_[static_cast<std::size_t>(event.kind)];
    for (const Handler& handler : handlers_) {
        handler(event);
    }
    if (follows_from_rows(event.kind) && of_row_.size() < kMostOfOneRow) {
        of_row_.push_back(std::move(event));
    }
}

// The number of kinds comes first: a file of an earlier version has fewer.
void EventLog::save(core::StateWriter& out) const {
    out.put(static_cast<std::uint64_t>(kEventKinds));
    for (std::size_t kind = 0; kind < kEventKinds; ++kind) {
        out.put(follows_from_rows(static_cast<EventKind>(kind)) ? counts_[kind] : std::uint64_t{0});
    }
    out.put(static_cast<std::uint64_t>(of_row_.size()));
    for (const Event& event : of_row_) {
        out.put(event.kind);
        out.put(event.row);
        out.put_text(event.time);
        file::put_texts(out, event.columns);
        out.put_text(event.text);
        out.put(static_cast<std::uint64_t>(event.details.size()));
        for (const Event::Detail& detail : event.details) {
            out.put_text(detail.name);
            out.put_text(detail.json);
        }
    }
}

void EventLog::load(core::StateReader& in) {
    constexpr std::uint64_t kMostDetails = 16;
    std::uint64_t kinds = 0;
    in.get(kinds);
    in.require(kinds <= kEventKinds, "it counts kinds of events that this version does not know");
    counts_.fill(0);
    in.get_all(std::span<std::uint64_t>(counts_).first(kinds));
    std::uint64_t waiting = 0;
    in.get(waiting);
    in.require(waiting <= kMostOfOneRow, "a row has more events than are kept");
    of_row_.assign(waiting, {});
    for (Event& event : of_row_) {
        in.get(event.kind);
        in.require(static_cast<std::size_t>(event.kind) < kinds && follows_from_rows(event.kind),
                   "an event is of a kind that is not kept");
        in.get(event.row);
        event.time = in.get_text();
        event.columns = file::get_texts(in);
        event.text = in.get_text();
        std::uint64_t details = 0;
        in.get(details);
        in.require(details <= kMostDetails, "an event has more details than any event has");
        for (; details > 0; --details) {
            std::string name = in.get_text();
            event.details.push_back({.name = std::move(name), .json = in.get_text()});
        }
    }
}

}  // namespace sluice::job
