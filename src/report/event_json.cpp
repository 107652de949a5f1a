#include "event_json.hpp"

#include "event.hpp"

namespace sluice::report {

namespace {

// Kinds that this version does not know are shown together.
std::string known_kind(std::string_view kind) {
    for (std::size_t k = 0; k < job::kEventKinds; ++k) {
        if (kind == job::name_of(static_cast<job::EventKind>(k))) {
            return std::string(kind);
        }
    }
    return "other";
}

}  // namespace

bool read_names(simdjson::dom::element list, std::vector<std::string>& out) {
    simdjson::dom::array names;
    if (list.get(names) != simdjson::SUCCESS) {
        return false;
    }
    for (const simdjson::dom::element element : names) {
        std::string_view name;
        if (element.get(name) != simdjson::SUCCESS) {
            return false;
        }
        out.emplace_back(name);
    }
    return true;
}

bool read_events(simdjson::dom::element list, std::vector<StreamEvent>& out) {
    simdjson::dom::array events;
    if (list.get(events) != simdjson::SUCCESS) {
        return false;
    }
    for (const simdjson::dom::element element : events) {
        std::string_view kind;
        std::string_view text;
        std::string_view time;
        StreamEvent event;
        if (element["event"].get(kind) != simdjson::SUCCESS || element["row"].get(event.row) != simdjson::SUCCESS ||
            element["text"].get(text) != simdjson::SUCCESS) {
            return false;
        }
        event.kind = known_kind(kind);
        event.text = text;
        if (element["time"].get(time) == simdjson::SUCCESS) {
            event.time = time;
        }
        simdjson::dom::element names;
        if ((element["columns"].get(names) == simdjson::SUCCESS && !read_names(names, event.columns)) ||
            (element["entered"].get(names) == simdjson::SUCCESS && !read_names(names, event.entered)) ||
            (element["left"].get(names) == simdjson::SUCCESS && !read_names(names, event.left))) {
            return false;
        }
        out.push_back(std::move(event));
    }
    return true;
}

}  // namespace sluice::report
