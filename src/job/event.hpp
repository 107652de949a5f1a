// event.hpp -- something that a person who runs a stream wants to know at once: one form for all of them.
//
// The same event is a line for people, an object in the record of its row, a count in the summary and in the metrics, and
// the standard input of the user's command.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "json_text.hpp"

namespace sluice::job {

/// The numbers are those of saved files: new kinds come at the end.
enum class EventKind : std::uint8_t {
    drift = 0,              ///< the relation changed suddenly
    suspect = 1,            ///< a row lies far outside of what recent rows allow
    column_vanished = 2,    ///< a column that had values has none any more: it counts as missing
    column_returned = 3,    ///< it has values again
    column_new = 4,         ///< a field or column that the first row did not have: it is ignored
    label_late = 5,         ///< a label came too late to be learnt
    checkpoint_failed = 6,  ///< a checkpoint could not be written
};
inline constexpr std::size_t kEventKinds = 7;

/// "drift", "column_vanished", ...
[[nodiscard]] std::string_view name_of(EventKind kind) noexcept;

/// Whether events of a kind follow from the rows alone. Only those are in records and in checkpoints: a run that was
/// killed and resumed writes the same bytes as one that was never stopped, but its disk may have failed at other times.
[[nodiscard]] bool follows_from_rows(EventKind kind) noexcept;

/// Whether it is shown also where only warnings are wanted.
[[nodiscard]] bool is_warning(EventKind kind) noexcept;

struct Event {
    EventKind kind = EventKind::drift;
    std::uint64_t row = 0;                  ///< from 1, as in the records; 0: before the first row
    std::string time = {};                  ///< of the row; empty where it is not known
    std::vector<std::string> columns = {};  ///< which ones it concerns
    std::string text = {};                  ///< one sentence for people, without a full stop
    /// What only this kind has.
    struct Detail {
        std::string name;
        std::string json;  ///< encoded
        friend bool operator==(const Detail&, const Detail&) = default;
    };
    std::vector<Detail> details = {};
    friend bool operator==(const Event&, const Event&) = default;
};

/// {"event":"column_vanished","row":7,"time":"...","columns":["a"],"text":"..."}, with the details before "text".
void append_event(io::JsonWriter& json, const Event& event);
/// The same as a text.
[[nodiscard]] std::string event_json(const Event& event);
/// A list of them.
[[nodiscard]] std::string events_json(std::span<const Event> events);

}  // namespace sluice::job
