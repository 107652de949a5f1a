// event_log.hpp -- the events of a run: counted, given to whoever wants to know, and kept for the record of their row.
//
//     events.raise({.kind = EventKind::column_vanished, .row = 12, .columns = {"a"}, .text = "..."});
//     records->write(out, {..., .events = events.of_row()});
//     events.end_row();
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "event.hpp"

namespace sluice::core {
class StateReader;
class StateWriter;
}  // namespace sluice::core

namespace sluice::job {

class EventLog {
  public:
    using Handler = std::function<void(const Event& event)>;
    /// Called for every event, in the order in which the handlers were added.
    void add_handler(Handler handler) { handlers_.push_back(std::move(handler)); }

    void raise(Event event);

    /// Of the whole run, what was before a resume included. Kinds that do not follow from the rows: since this process
    /// started.
    [[nodiscard]] std::uint64_t count(EventKind kind) const noexcept { return counts_[static_cast<std::size_t>(kind)]; }

    /// Raised since end_row(), as far as they follow from the rows; at most kMostOfOneRow, the rest is only counted.
    [[nodiscard]] std::span<const Event> of_row() const noexcept { return of_row_; }
    void end_row() noexcept { of_row_.clear(); }

    static constexpr std::size_t kMostOfOneRow = 32;

    /// Everything but the handlers.
    void save(core::StateWriter& out) const;
    void load(core::StateReader& in);

  private:
    std::array<std::uint64_t, kEventKinds> counts_{};
    std::vector<Event> of_row_;
    std::vector<Handler> handlers_;
};

}  // namespace sluice::job
