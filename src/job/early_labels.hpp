// early_labels.hpp -- labels whose rows have not come yet, or not long enough ago: a queue in the order of their file.
//
// A label leaves from anywhere in the queue when its row is there. The queue holds the labels from the oldest that still
// waits to the newest that was read, at most `window`; the next one is read when there is room.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "time_index.hpp"
#include "time_key.hpp"

namespace sluice::core {
class StateReader;
class StateWriter;
}  // namespace sluice::core

namespace sluice::job {

class EarlyLabels {
  public:
    EarlyLabels(std::size_t window, std::size_t outputs);

    struct Label {
        const TimeKey* time = nullptr;
        std::span<const double> y;
    };

    [[nodiscard]] bool full() const noexcept { return end_ - begin_ == times_.size(); }
    [[nodiscard]] bool empty() const noexcept { return begin_ == end_; }
    [[nodiscard]] std::size_t waiting() const noexcept { return waiting_; }

    void push(const TimeKey& time, std::span<const double> y);
    /// Takes the oldest label of that time out; false where there is none. `row`: the number of the present row.
    /// The label stays valid until the next push.
    [[nodiscard]] bool take(const TimeKey& time, std::uint64_t row, Label& label);

    /// The label that was read first.
    [[nodiscard]] const TimeKey& front() const { return times_[place(begin_)]; }
    /// Whether a label that was read after it left at least `window` rows before `row`.
    [[nodiscard]] bool front_was_passed(std::uint64_t row) const;
    void drop_front();

    void save(core::StateWriter& out) const;
    void load(core::StateReader& in);

  private:
    [[nodiscard]] std::size_t place(std::uint64_t label) const { return label % times_.size(); }
    void remove(std::size_t at);

    std::size_t outputs_;
    std::uint64_t begin_ = 0;  // labels by their number in the file
    std::uint64_t end_ = 0;
    std::uint64_t passed_ = 0;  // those before have the number of the row at which a later one left
    std::size_t waiting_ = 0;
    std::vector<TimeKey> times_;
    std::vector<double> y_;
    std::vector<unsigned char> taken_;
    std::vector<std::uint64_t> passed_at_;
    TimeIndex index_;
};

}  // namespace sluice::job
