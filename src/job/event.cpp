#include "event.hpp"

#include <array>

namespace sluice::job {

std::string_view name_of(EventKind kind) noexcept {
    constexpr std::array<std::string_view, kEventKinds> kNames = {
        "drift", "suspect", "column_vanished", "column_returned", "column_new", "label_late", "checkpoint_failed"};
    return kNames[static_cast<std::size_t>(kind)];
}

bool follows_from_rows(EventKind kind) noexcept {
    return kind != EventKind::checkpoint_failed;
}

bool is_warning(EventKind kind) noexcept {
    return kind != EventKind::drift && kind != EventKind::suspect && kind != EventKind::label_late;
}

void append_event(io::JsonWriter& json, const Event& event) {
    json.begin_object().member("event", name_of(event.kind)).member("row", event.row);
    if (!event.time.empty()) {
        json.member("time", event.time);
    }
    if (!event.columns.empty()) {
        json.key("columns").list(event.columns);
    }
    for (const Event::Detail& detail : event.details) {
        json.key(detail.name).encoded(detail.json);
    }
    json.member("text", event.text).end_object();
}

std::string event_json(const Event& event) {
    std::string out;
    io::JsonWriter json(out, io::JsonWriter::compact);
    append_event(json, event);
    return out;
}

std::string events_json(std::span<const Event> events) {
    std::string out;
    io::JsonWriter json(out, io::JsonWriter::compact);
    json.begin_list();
    for (const Event& event : events) {
        append_event(json, event);
    }
    json.end_list();
    return out;
}

}  // namespace sluice::job
