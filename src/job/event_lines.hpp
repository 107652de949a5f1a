// event_lines.hpp -- events as lines for people, at a rate that people can read.
//
// Of each kind kLinesAtOnce lines are shown, and after them one for each kSecondsPerLine seconds that have passed. The next
// line that is shown has the number of those that were not. Counts and records have all of them.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>

#include "event.hpp"
#include "message.hpp"

namespace sluice::job {

class EventLines {
  public:
    using Clock = std::chrono::steady_clock;
    explicit EventLines(MessageHandler message) : message_(std::move(message)) {}

    void show(const Event& event, Clock::time_point now = Clock::now());

    static constexpr double kLinesAtOnce = 5.0;
    static constexpr double kSecondsPerLine = 60.0;

  private:
    struct OfKind {
        double allowed = kLinesAtOnce;
        Clock::time_point last = {};
        std::uint64_t left_out = 0;
    };
    MessageHandler message_;
    std::array<OfKind, kEventKinds> kinds_{};
};

/// "row 12, 2008-09-15: the relation changed suddenly ..."
[[nodiscard]] std::string event_line(const Event& event);

}  // namespace sluice::job
