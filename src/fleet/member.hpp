// member.hpp -- the model of one key: what it has learnt, and which rows these were.
//
// Each row gets one answer. A row with a sequence number that is not above the last one learnt was learnt before, or comes
// too late: it is answered and not learnt. The answers of the last kKeptAnswers rows are kept, so that a row that is sent
// again gets the answer that it got.
//
// The state (save) is a model file with one more section, "fleet". A member that is saved after any row and loaded goes
// on bit for bit: answers do not depend on how rows are cut into blocks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "column_watch.hpp"
#include "config.hpp"
#include "event_log.hpp"
#include "intervals.hpp"
#include "learner.hpp"

namespace sluice::fleet {

/// What a row is answered.
struct Answer {
    std::optional<std::int64_t> sequence = {};
    std::uint64_t row = 0;                   ///< of this key, from 1; 0: the row was refused, or is no longer known
    std::span<const double> predicted = {};  ///< one for each target, NaN where there is none; so are those below
    std::span<const double> low = {};        ///< empty without intervals
    std::span<const double> high = {};
    std::span<const double> forecast = {};  ///< empty without a horizon
    std::span<const double> forecast_low = {};
    std::span<const double> forecast_high = {};
    std::string_view outcome = {};   ///< of StepReport, or "waiting", "repeated", "refused"
    std::string_view selected = {};  ///< JSON list of names, the most important first; empty: as in the row before
    std::string_view events = {};    ///< JSON list; empty: none
};

/// What members with the same columns share.
struct MemberNames {
    MemberNames(Roles of, const RowLayout& layout);
    Roles roles;
    std::vector<std::string> inputs;  ///< of the model: lags included
    std::vector<std::string> json;    ///< the same, escaped
};

class Member {
  public:
    static constexpr std::size_t kKeptAnswers = 32;

    /// A new key. `key` is what its events call it.
    Member(const Config& config, std::string key, std::shared_ptr<const MemberNames> names);
    /// `usual`, where it is not null, are the names that most members have. Throws StateError, also where the config
    /// contradicts what the state was made with.
    Member(const Config& config, std::string key, std::span<const std::byte> state,
           const std::shared_ptr<const MemberNames>& usual = nullptr);

    [[nodiscard]] const Roles& roles() const noexcept { return names_->roles; }
    [[nodiscard]] const job::Learner& learner() const noexcept { return *learner_; }
    [[nodiscard]] std::uint64_t rows() const noexcept { return learner_->rows(); }
    /// Roughly, for those who limit memory. AdaptiveModel::bytes() has the moments; factors, paths and intermediate results
    /// come on top. Measured: 0.4 MB at 20 inputs, 1.4 MB at 60, 7.2 MB at 300.
    [[nodiscard]] std::size_t bytes() const noexcept {
        const AdaptiveModel& model = learner_->model();
        return 100'000 + (15'000 * std::min<std::size_t>(model.inputs(), 60)) + (model.bytes() / 10 * 13);
    }

    /// Before the rows of a block: what it says of its columns. `absent` are places among the inputs and targets.
    void begin_block(std::span<const std::string> new_columns, std::vector<std::size_t> absent);

    /// `row.numbers` are the inputs, then the targets; `row.unreadable` those that hold no finite number.
    /// The answer is valid until the next call.
    [[nodiscard]] Answer step(const io::Row& row, std::optional<std::int64_t> sequence, std::string_view time);

    [[nodiscard]] std::vector<std::byte> save() const;

  private:
    struct Kept {
        std::int64_t sequence = 0;
        std::uint64_t row = 0;
        std::vector<double> values;
    };

    void start(const Config& config);
    void check_options(const Config& config) const;
    [[nodiscard]] std::size_t answer_width() const;
    [[nodiscard]] Answer repeat(std::int64_t sequence, std::string_view time);
    [[nodiscard]] Answer refuse(std::string_view column, std::string_view needed, std::string_view value,
                                std::optional<std::int64_t> sequence, std::string_view time);
    void keep(std::int64_t sequence, const Answer& answer);
    [[nodiscard]] Answer answer_of(std::span<const double> values) const;
    void write_selected();
    void add_event(std::string_view kind, std::string_view time, const std::string& text);
    void write_events();

    std::string key_;
    std::shared_ptr<const MemberNames> names_;
    std::string sequence_column_;
    bool strict_ = false;
    std::optional<job::Learner> learner_;
    std::optional<job::Intervals> intervals_;
    job::ColumnWatch columns_;
    job::EventLog events_;
    std::optional<std::int64_t> last_;  // sequence number of the last row learnt
    bool behind_ = false;               // the last row was not above it
    std::deque<Kept> kept_;
    bool selection_sent_ = false;

    // Of the block and the row in hand.
    std::vector<std::string> new_columns_;
    std::vector<std::size_t> absent_;
    std::vector<double> nothing_;
    std::string own_events_;
    std::string events_text_;
    std::string selected_text_;
};

}  // namespace sluice::fleet
