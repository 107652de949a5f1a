#include "followers.hpp"

#include <fmt/format.h>

namespace sluice::serve {

std::shared_ptr<Subscription> Followers::subscribe(report::Span span, std::uint64_t row, const std::string& state) {
    auto client = hub(span).subscribe();
    client->put_event(std::make_shared<const std::string>("retry: 1000\n" + event_text("state", row, state)));
    return client;
}

void Followers::publish_event(std::uint64_t row, const std::string& event) {
    for (EventHub& hub : hubs_) {
        if (hub.has_clients()) {
            hub.publish_event(event_text("event", row, event));
        }
    }
}

void Followers::publish(report::Span span, std::uint64_t row, const std::string& state, const report::History& history,
                        const report::ReportText& text) {
    const bool continues = report::continues(history, seen_[index(span)]);
    const std::string increment = continues ? report::increment_json(history, text, seen_[index(span)]) : "null";
    hub(span).publish_update(event_text("update", row, fmt::format(R"({{{},"history":{}}})", state, increment)));
}

void Followers::end() {
    for (EventHub& hub : hubs_) {
        hub.end();
    }
}

}  // namespace sluice::serve
