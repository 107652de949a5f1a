// history.hpp -- a bounded picture of all rows so far: every n-th row, where n doubles whenever there are too many.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "event.hpp"
#include "json_text.hpp"

namespace sluice::core {
class StateReader;
class StateWriter;
}  // namespace sluice::core

namespace sluice::serve {

/// One row. Spans have an entry per target, NaN where there is no value; low and high are empty without intervals.
struct HistoryRow {
    std::uint64_t row = 0;  ///< from 1
    std::string_view time;
    std::span<const double> predicted;
    std::span<const double> observed;
    std::span<const double> low;
    std::span<const double> high;
    std::span<const std::size_t> selected;
};

/// What the numbers of a history mean.
struct HistoryNames {
    const std::vector<std::string>& inputs;  ///< of the model: lags included
    const std::vector<std::string>& targets;
    bool has_time = false;
    bool has_interval = false;
};

class History {
  public:
    explicit History(std::size_t most_rows) : most_rows_(most_rows) {}

    void add(const HistoryRow& row);
    void add(const job::Event& event);
    /// Forgets all rows and events; the next row is kept.
    void clear();

    [[nodiscard]] std::size_t rows() const noexcept { return points_.size(); }
    [[nodiscard]] std::uint64_t stride() const noexcept { return stride_; }

    /// Members "stride", "rows", "time" (where there is one), "predicted", "observed", "low" and "high" (where there are
    /// intervals), each of them with a list per target; "inputs", the names that were selected; "selected", for each row
    /// places in "inputs"; "events". Inside an object that the caller begins and ends.
    void append(io::JsonWriter& json, const HistoryNames& names) const;

    void save(core::StateWriter& out) const;
    /// Throws StateError where a number does not fit `inputs` and `targets`.
    void load(core::StateReader& in, std::size_t inputs, std::size_t targets);

    static constexpr std::size_t kMostEvents = 500;

  private:
    struct Point {
        std::uint64_t row = 0;
        std::string time;
        std::vector<double> numbers;  // predicted, observed, and low and high where there are intervals
        std::vector<std::uint32_t> selected;
    };
    [[nodiscard]] static Point point_of(const HistoryRow& row);

    std::size_t most_rows_;
    std::uint64_t stride_ = 1;
    std::uint64_t met_ = 0;      // rows
    std::vector<Point> points_;  // each stride-th row, and the last one
    bool last_is_extra_ = false;
    std::deque<std::string> events_;  // as JSON
};

}  // namespace sluice::serve
