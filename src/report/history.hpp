// history.hpp -- what happened in a stream, in memory that does not grow with its rows: lines as bins with their smallest
// and largest values, stays of inputs with their exact rows, and events.
//
//     History history({.targets = {"y"}});
//     history.add({.row = 1, .predicted = ..., .uses = uses});       // uses[i].variable = history.variable("name")
//     history_json(history)                                          // history_json.hpp
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bins.hpp"
#include "event_history.hpp"
#include "presence.hpp"
#include "range.hpp"
#include "stream_row.hpp"
#include "target_lines.hpp"
#include "time_axis.hpp"

namespace sluice::core {
class StateReader;
class StateWriter;
}  // namespace sluice::core

namespace sluice::report {

/// What a reader has seen of a history: all rows up to `row`.
struct Mark {
    std::uint64_t first_row = 0;
    std::uint64_t row = 0;
    std::uint64_t revision = 0;
};

class History {
  public:
    struct Settings {
        std::vector<std::string> targets = {};
        std::uint64_t warmup = 0;  ///< rows up to this number are not scored
        std::size_t bins = 4096;   ///< at most; fewer where there are many targets
        std::size_t events = 1000;
        Presence::Limits presence = {};
    };
    explicit History(Settings settings);

    /// The number by which an input is known here.
    [[nodiscard]] std::size_t variable(std::string_view name) { return presence_.variable(name); }
    /// The next row, or a label of an earlier one. Its spans have a number per target. Throws DataError where rows are not
    /// in order.
    void add(const StreamRow& row);

    /// An empty history of the rows that follow: it knows the inputs by the same numbers, and what was known of the targets.
    [[nodiscard]] History continued() const;

    /// For a reader that follows the history by increment_json(). A change before the last row that no increment contains makes
    /// a new revision: bins were joined, say. Increments contain late labels, of the rows from oldest_change() on; mark()
    /// resets that.
    [[nodiscard]] Mark mark();
    [[nodiscard]] std::uint64_t revision() const { return revision_; }
    /// The oldest row whose label has come since the last mark(); the last row where there is none.
    [[nodiscard]] std::uint64_t oldest_change() const { return oldest_label_ > 0 ? oldest_label_ : last_row_; }

    void save(core::StateWriter& out) const;
    /// Into a history with the settings of the one that was saved. Throws StateError.
    void load(core::StateReader& in);

    /// Weights and gains after the last row, from elsewhere: of those of its inputs whose weights are not known.
    void note_weights_now(std::span<const Use> uses);

    struct RowBin {
        std::uint64_t rows = 0;
        Range forgetting;
        Range shrinkage;
        Range last_value_share;
        Range names;  ///< in use
        void join(const RowBin& other);
    };

    [[nodiscard]] const std::vector<std::string>& targets() const { return settings_.targets; }
    [[nodiscard]] std::size_t targets_shown() const { return lines_.size(); }
    [[nodiscard]] std::uint64_t rows() const { return rows_; }
    [[nodiscard]] std::uint64_t first_row() const { return bins_.first_row(); }
    [[nodiscard]] std::uint64_t last_row() const { return last_row_; }
    [[nodiscard]] std::uint64_t rows_per_bin() const { return bins_.rows_per_bin(); }
    [[nodiscard]] std::size_t most_bins() const { return bins_.most(); }
    [[nodiscard]] std::size_t bin_of(std::uint64_t row) const { return bins_.of(row); }
    [[nodiscard]] const std::vector<RowBin>& row_bins() const { return row_bins_; }
    [[nodiscard]] const std::vector<TargetBin>& lines(std::size_t target) const { return lines_[target]; }
    [[nodiscard]] const TimeAxis& time() const { return time_; }
    [[nodiscard]] const Presence& presence() const { return presence_; }
    [[nodiscard]] const EventHistory& events() const { return events_; }
    /// Of the last row, in its order.
    [[nodiscard]] const std::vector<Use>& last_uses() const { return last_uses_; }
    [[nodiscard]] bool has_interval() const { return has_interval_; }
    [[nodiscard]] bool has_weights() const { return has_weights_; }
    [[nodiscard]] bool has_tuning() const { return has_tuning_; }
    [[nodiscard]] std::uint64_t horizon() const { return has_forecast_ ? made_.size() : 0; }

    static constexpr std::size_t kMostTargets = 64;          ///< with lines of their own
    static constexpr std::size_t kMostPendingRows = 65'536;  ///< for which late labels, or forecasts, are waited for

  private:
    /// What an increment takes for granted.
    struct Shape {
        std::uint64_t rows_per_bin = 0;
        std::uint64_t shortest_gap = 0;
        std::size_t bins_per_cell = 0;
        std::uint64_t merged_events = 0;
        TimeAxis::Kind time = TimeAxis::Kind::none;
        std::size_t time_meaning = 0;
        bool has_interval = false;
        bool has_weights = false;
        bool has_tuning = false;
        bool has_forecast = false;
        friend bool operator==(const Shape&, const Shape&) = default;
    };
    [[nodiscard]] Shape shape() const;
    void add_row(const StreamRow& row);
    void make_room(std::uint64_t row);
    void add_tuned(RowBin& bin, const StreamRow& row);
    void add_to_lines(const StreamRow& row);
    void add_label(const StreamRow& row);
    [[nodiscard]] std::vector<Known> known_when_predicted(const StreamRow& row);

    Settings settings_;
    Bins bins_;
    std::uint64_t rows_ = 0;
    std::uint64_t last_row_ = 0;
    std::vector<RowBin> row_bins_;
    std::vector<std::vector<TargetBin>> lines_;
    TimeAxis time_;
    Presence presence_;
    EventHistory events_;
    std::vector<Use> last_uses_;

    std::vector<Known> known_;                                // of each target, from all rows so far
    std::deque<std::vector<Known>> made_;                     // with a horizon: when each waiting forecast was made
    bool forecasts_arrive_ = false;                           // the first of them has
    std::map<std::uint64_t, std::vector<Known>> unlabelled_;  // rows without any output yet
    bool has_forecast_ = false;
    bool has_interval_ = false;
    bool has_weights_ = false;
    bool has_tuning_ = false;

    std::uint64_t revision_ = 0;
    std::uint64_t oldest_label_ = 0;  // since the last mark; 0: none
};

}  // namespace sluice::report
