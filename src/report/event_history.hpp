// event_history.hpp -- the events of a stream. Where there are too many, neighbours of one kind become one that counts
// them: the time line shows that something happened, and how often.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "stream_row.hpp"

namespace sluice::core {
class StateReader;
class StateWriter;
}  // namespace sluice::core

namespace sluice::report {

class EventHistory {
  public:
    explicit EventHistory(std::size_t most) : most_(most) {}

    void add(const StreamEvent& event);

    [[nodiscard]] const std::vector<StreamEvent>& events() const { return events_; }
    [[nodiscard]] std::uint64_t count() const { return count_; }
    /// Neighbours of one kind that are at most this number of rows apart are one event. 0: none were merged.
    [[nodiscard]] std::uint64_t merged_within() const { return apart_; }

    void save(core::StateWriter& out) const;
    void load(core::StateReader& in);

    static constexpr std::size_t kMostNames = 20;  ///< of columns, and of inputs that entered or left
    static constexpr std::size_t kLongestText = 400;

  private:
    void merge();

    std::size_t most_;
    std::vector<StreamEvent> events_;
    std::uint64_t count_ = 0;
    std::uint64_t apart_ = 0;  // rows: neighbours that are closer are one event
};

}  // namespace sluice::report
