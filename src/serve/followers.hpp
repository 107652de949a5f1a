// followers.hpp -- the clients that follow a stream while it runs: those of its latest rows, and those of its whole history.
//
// A client reads the history once, and then gets what has come since, small enough to be sent many times a second. Where
// that does not continue what the clients have (bins were joined, say), they are sent null and read the history again.
#pragma once

#include <array>
#include <memory>
#include <string>

#include "event_hub.hpp"
#include "histories.hpp"
#include "history_json.hpp"

namespace sluice::serve {

class Followers {
  public:
    explicit Followers(const std::shared_ptr<EventCounts>& counts) : hubs_{EventHub(counts), EventHub(counts)} {}

    /// `state`: JSON that is sent first.
    [[nodiscard]] std::shared_ptr<Subscription> subscribe(report::Span span, std::uint64_t row,
                                                          const std::string& state);
    /// An event of the stream: JSON.
    void publish_event(std::uint64_t row, const std::string& event);
    /// What has come since the last call. `state` has the members that every client gets: "row":17,... without braces.
    template <typename Live>
    void publish_update(std::uint64_t row, const std::string& state, Live& live, const report::ReportText& text) {
        for (const report::Span span : {report::Span::whole, report::Span::latest}) {
            const report::History& history = live.history(span);
            if (hub(span).has_clients()) {
                publish(span, row, state, history, text);
            }
            seen_[index(span)] = live.mark(span);
        }
    }
    void end();

  private:
    [[nodiscard]] static std::size_t index(report::Span span) { return static_cast<std::size_t>(span); }
    [[nodiscard]] EventHub& hub(report::Span span) { return hubs_[index(span)]; }
    void publish(report::Span span, std::uint64_t row, const std::string& state, const report::History& history,
                 const report::ReportText& text);

    std::array<EventHub, 2> hubs_;
    std::array<report::Mark, 2> seen_{};
};

}  // namespace sluice::serve
