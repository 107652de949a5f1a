// unlabelled_rows.hpp -- the last rows of a stream as they were when they were predicted, for labels that come later.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "comparison.hpp"
#include "time_index.hpp"
#include "time_key.hpp"

namespace sluice::core {
class StateReader;
class StateWriter;
}  // namespace sluice::core

namespace sluice::job {

class UnlabelledRows {
  public:
    /// The last `window` rows, each with that many numbers of x and of y. `first`: the number of the first one.
    UnlabelledRows(std::size_t window, std::size_t inputs, std::size_t outputs, std::uint64_t first = 0);

    struct Row {
        std::uint64_t number = 0;  ///< from 0
        const TimeKey* time = nullptr;
        std::span<const double> x;
        std::span<const double> predicted;             ///< when the row came
        std::span<const Comparison::Forecast> simple;  ///< the mean and the last value that were known then
        std::span<unsigned char> labelled;             ///< of each output: 1 where its label was learnt
    };

    /// The next row; the oldest one leaves where there are too many.
    void push(std::string_view time, std::span<const double> x, std::span<const double> predicted,
              std::span<const Comparison::Forecast> simple);

    /// The newest row of that time. False where there is none.
    [[nodiscard]] bool find(const TimeKey& time, Row& row);
    [[nodiscard]] bool has(const TimeKey& time) const { return place_of(time) != TimeIndex::kNone; }
    /// 0 is the newest one.
    [[nodiscard]] Row back(std::size_t rows);
    [[nodiscard]] const TimeKey& newest_time() const { return times_[place(end_ - 1)]; }

    [[nodiscard]] std::size_t size() const noexcept { return static_cast<std::size_t>(end_ - begin_); }
    [[nodiscard]] std::size_t window() const noexcept { return times_.size(); }
    [[nodiscard]] std::uint64_t next_number() const noexcept { return end_; }

    void save(core::StateWriter& out) const;
    void load(core::StateReader& in);

  private:
    [[nodiscard]] std::size_t place(std::uint64_t number) const { return number % times_.size(); }
    [[nodiscard]] std::size_t place_of(const TimeKey& time) const;
    [[nodiscard]] Row at(std::uint64_t number);
    void drop_oldest();

    std::size_t inputs_;
    std::size_t outputs_;
    std::uint64_t begin_;  // the row numbers that are held: begin_ to end_ - 1
    std::uint64_t end_;
    std::vector<TimeKey> times_;  // rings by row number
    std::vector<double> x_;
    std::vector<double> predicted_;
    std::vector<Comparison::Forecast> simple_;
    std::vector<unsigned char> labelled_;
    TimeIndex index_;
};

}  // namespace sluice::job
