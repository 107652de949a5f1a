// late_labels.hpp -- learns from labels that come later than their rows, late or in any order, each with the inputs of its
// own row.
//
// A row is predicted when it comes, and kept for its label, with its prediction. A label is learnt when it comes, with
// what was kept; the error that counts is that of the kept prediction. At most `window` rows are kept: a label whose row
// is not among them is late, and is counted and dropped.
//
// Labels in the rows (LabelSettings::time): row t has the label of an earlier row or its own.
//     learn the label of an earlier row, predict row t, learn its own label
// A label that is always H rows late is thus learnt and predicted as with a horizon of H (learner.hpp).
//
// Labels in a file of their own: they are read in the order of their file, as far ahead as `window` labels.
//     learn the labels of row t - delay, or of rows before it that were read since the last row
//     predict row t; without a delay learn its label
// A label whose row has not come waits. One whose row cannot come any more is dropped: the times of the rows ascend and
// have passed it (TimeKey::order), or a later label of the file left `window` rows ago.
//
// What is learnt and when depends on the two files only, unless they are followed: then a label is learnt before the next
// row after it came.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "early_labels.hpp"
#include "label_file.hpp"
#include "label_rows.hpp"
#include "learner.hpp"
#include "record_writer.hpp"
#include "tally.hpp"
#include "unlabelled_rows.hpp"

namespace sluice::job {

class LateLabels {
  public:
    /// `inputs` are those of the model, `first_row` is the number of the first row, from 0. Throws UsageError where the
    /// window is too large or not larger than the delay.
    LateLabels(LabelSettings settings, std::size_t inputs, std::size_t outputs, std::uint64_t first_row = 0);

    struct Counts {
        std::uint64_t learned = 0;
        std::uint64_t late = 0;      ///< no row of their time was kept
        std::uint64_t repeated = 0;  ///< every output was learnt before
        friend bool operator==(const Counts&, const Counts&) = default;
    };

    /// What a row or a label changes, and where it goes.
    struct Stream {
        Learner& learner;
        Tally& tally;
        std::function<void(const Record&)> write;               ///< a record of a row or of a label
        std::function<void(std::string_view label_time)> late;  ///< a label that is late
    };

    /// The next row. `label_time` and `y` are empty where the labels are in a file of their own.
    void row(std::string_view time, std::span<const double> row, std::string_view label_time, std::span<const double> y,
             const Stream& stream);

    /// The file of the labels, open at its first label. `resumed`: continues where the saved state was.
    void read_from(std::unique_ptr<LabelFile> file, bool resumed);
    /// Learns what is there now. Called before each row and at the end. Throws io::RowError.
    void take(const Stream& stream);
    /// The text of the label that was read last, where labels are in a file of their own.
    [[nodiscard]] std::string_view label_text() const { return file_->row_text(); }
    /// After a bad label: continue behind it.
    void skip_bad_label() { position_ = file_->position(); }

    [[nodiscard]] const LabelSettings& settings() const noexcept { return settings_; }  ///< `file` is "" or "labels"
    [[nodiscard]] bool in_own_file() const noexcept { return !settings_.file.empty(); }
    [[nodiscard]] const Counts& counts() const noexcept { return counts_; }
    [[nodiscard]] std::uint64_t next_row() const noexcept { return rows_.next_number(); }  ///< from 0
    [[nodiscard]] std::size_t waiting() const noexcept {
        return early_.waiting();
    }  ///< labels whose rows have not come

    void save(core::StateWriter& out) const;
    [[nodiscard]] static LateLabels load(core::StateReader& in, std::size_t inputs, std::size_t outputs);

  private:
    // The label of a row that is kept. None where all of it was learnt before. The report's rows are those of the stream.
    std::optional<StepReport> learn(const UnlabelledRows::Row& row, std::span<const double> y, const Stream& stream);
    void learn_and_write(const UnlabelledRows::Row& row, std::span<const double> y, const Stream& stream);
    void learn_waiting(const UnlabelledRows::Row& row, const Stream& stream);
    void count_late(std::string_view label_time, const Stream& stream);
    void note_order(const TimeKey& next);
    [[nodiscard]] bool drop_hopeless(const Stream& stream);

    LabelSettings settings_;
    Counts counts_;
    enum class Order : unsigned char { unknown, ascending, other };
    Order order_ = Order::unknown;  // of the times of the rows: unknown before there are two
    UnlabelledRows rows_;
    LabelRows label_rows_;
    EarlyLabels early_;
    std::unique_ptr<LabelFile> file_;
    io::Position position_;  // of the next label
    std::vector<std::string> columns_;

    TimeKey key_;
    TimeKey label_key_;
    io::Row label_;
    std::vector<double> predicted_;
    std::vector<double> unknown_;
    std::vector<double> y_;
    std::vector<Decision> decisions_;
};

}  // namespace sluice::job
