// stream_job.hpp -- the main job: reads rows, predicts each before learning from it, writes a record of each, and keeps a
// checkpoint from which a later run continues as if there had been no interruption.
//
// At a checkpoint the records are synced first; then their length is written into the model file. A run that was killed
// and resumed cuts the records back to that length and continues with the row after the checkpoint, so that its files
// are the same, byte for byte, as those of a run that was never stopped.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "disk.hpp"
#include "distinct_files.hpp"
#include "event_log.hpp"
#include "feed.hpp"
#include "interrupt.hpp"
#include "lock_file.hpp"
#include "message.hpp"
#include "model_file.hpp"
#include "monitor.hpp"
#include "output_file.hpp"
#include "record_writer.hpp"
#include "roles.hpp"
#include "row_reader.hpp"
#include "sentinel_watch.hpp"
#include "sluice/tuning.hpp"

namespace sluice::job {

struct StreamSettings {
    std::string input = "-";
    io::Dialect dialect;
    bool follow = false;

    RoleRequest roles;
    std::optional<std::vector<std::size_t>> lags;         ///< without: {0}, or those of the checkpoint
    std::optional<std::vector<std::size_t>> target_lags;  ///< without: none, or those of the checkpoint
    std::optional<std::size_t> horizon;
    std::optional<double> interval;  ///< coverage of intervals; without: none are given, or those of the checkpoint
    AdaptiveOptions options;
    std::vector<std::string>
        options_given;  ///< names of the fields that the user set: those of a resumed run must equal its checkpoint's
    std::string group_file;  ///< lines of "column,group", for the group lasso

    // Labels that come late: late_labels.hpp.
    std::string labels;                       ///< file of its own; empty: they are in the rows
    std::string label_time;                   ///< column with the time that a label belongs to
    std::optional<std::size_t> label_window;  ///< without: that of LabelSettings, or of the checkpoint
    std::optional<std::size_t> label_delay;

    std::uint64_t warmup = 0;
    bool skip_bad_rows = false;
    std::string rejects;  ///< empty: none
    std::string out;      ///< empty: no records
    RecordFormat out_format = RecordFormat::ndjson;
    bool weights = false;  ///< records have the weights and gains of what is selected

    std::string checkpoint;             ///< empty: none
    std::uint64_t checkpoint_rows = 0;  ///< 0: not by rows
    double checkpoint_seconds = 0;      ///< 0: not by time
    bool resume = false;
    Monitor::Settings monitor;
    bool from_here = false;  ///< with resume: the input begins after the checkpoint; no row is skipped
    /// With resume: the input is another series. It is read from its beginning; lags and forecasts of the rows before do not
    /// reach into it.
    bool from_start = false;
    bool new_out = false;                ///< with resume: the outputs are new files
    std::vector<NamedFile> other_files;  ///< that the caller reads or writes: no output may be one of them
};

class StreamJob {
  public:
    /// Opens all files and checks all settings. `interrupt` may be null.
    /// Throws UsageError, OptionError, DataError, StateError, io::DiskError, io::SourceError.
    StreamJob(StreamSettings settings, io::Disk& disk, const io::Interrupt* interrupt, MessageHandler message);
    ~StreamJob();
    StreamJob(const StreamJob&) = delete;
    StreamJob& operator=(const StreamJob&) = delete;
    StreamJob(StreamJob&&) = delete;
    StreamJob& operator=(StreamJob&&) = delete;

    enum class End { finished, interrupted };
    /// `each_row` is called after every row.
    [[nodiscard]] End run(const std::function<void()>& each_row = {});

    /// Called with every record, also where none are written. Before run().
    void on_record(std::function<void(const Record&)> handler) { on_record_ = std::move(handler); }

    [[nodiscard]] RecordNames record_names() const;  ///< of the records that it writes, or would write
    [[nodiscard]] const Roles& roles() const noexcept { return roles_; }
    [[nodiscard]] const std::vector<std::string>& input_names() const noexcept { return input_names_; }
    [[nodiscard]] const Learner& learner() const noexcept { return *learner_; }
    [[nodiscard]] const Tally& tally() const noexcept { return *tally_; }
    [[nodiscard]] const Intervals* intervals() const noexcept { return intervals_ ? &*intervals_ : nullptr; }
    [[nodiscard]] const LateLabels* late_labels() const noexcept { return late_ ? &*late_ : nullptr; }
    /// Handlers may be added; the messages of events already go to the message handler.
    [[nodiscard]] EventLog& events() noexcept { return events_; }
    [[nodiscard]] const EventLog& events() const noexcept { return events_; }
    [[nodiscard]] const ColumnWatch& columns() const noexcept { return columns_; }
    [[nodiscard]] double share_read() const { return feed_->reader().source().share_read(); }
    [[nodiscard]] std::uint64_t resumed_at() const noexcept { return resumed_at_; }  ///< rows learnt before this run

  private:
    void check_files();
    [[nodiscard]] std::optional<ModelFile> read_checkpoint();
    void open_input(const std::optional<ModelFile>& known);
    [[nodiscard]] std::unique_ptr<io::RowReader> with_stream_columns(std::unique_ptr<io::RowReader> reader,
                                                                     bool continues);
    void start_new();
    void start_from(ModelFile&& file);
    void start_intervals();
    void check_settings_agree(const ModelFile& file) const;
    void open_outputs(bool resumed);
    void report_sentinel();
    [[nodiscard]] bool process_row();
    void learn_row();
    void write_record(Record record);

    // With late labels: stream_labels.cpp.
    [[nodiscard]] bool wants_late_labels() const { return !settings_.labels.empty() || !settings_.label_time.empty(); }
    void check_label_settings() const;
    void open_label_file();
    [[nodiscard]] RoleRequest request_with_labels() const;
    [[nodiscard]] std::vector<std::string> columns_with_labels(const Roles& roles) const;
    [[nodiscard]] Roles asked_roles(const RowLayout& layout) const;
    [[nodiscard]] Places places_of(const Roles& roles, const std::vector<std::string>& columns) const;
    void check_labels_agree(const ModelFile& file) const;
    void start_labels(std::optional<LateLabels> known);
    void want_columns(io::RowReader& reader);
    void learn_late_row();
    void take_labels();
    void on_late_label(std::string_view label_time);

    void reject(const io::RowError& error, std::string_view row);  ///< row: its text
    [[nodiscard]] bool checkpoint_due();
    void write_checkpoint(bool closed = false);
    void write_checkpoint_after_error() noexcept;
    void replace_checkpoint(bool closed);
    void work_while_waiting();
    void reopen_outputs_if_asked();
    void flush_outputs();
    [[nodiscard]] bool stopped() const { return interrupt_ != nullptr && interrupt_->requested(); }

    StreamSettings settings_;
    io::Disk& disk_;
    const io::Interrupt* interrupt_;
    MessageHandler message_;

    std::optional<io::LockFile> lock_;  // of the checkpoint
    std::optional<Feed> feed_;
    Roles roles_;
    std::vector<std::string> input_names_;
    std::optional<Learner> learner_;
    std::optional<Tally> tally_;
    EventLog events_;
    ColumnWatch columns_;
    std::optional<LateLabels> late_;
    std::optional<LateLabels::Stream> late_stream_;
    std::unique_ptr<LabelFile> label_file_;  // until it is given to late_
    std::size_t label_text_ = 0;             // place of the label's time among the texts of a row
    std::optional<Intervals> intervals_;
    ResumePoint resume_point_;
    std::uint64_t resumed_at_ = 0;

    std::unique_ptr<io::OutputFile> out_;
    std::unique_ptr<io::OutputFile> rejects_;
    std::unique_ptr<RecordWriter> records_;
    std::function<void(const Record&)> on_record_;

    std::string out_header_;
    std::string rejects_header_;
    std::optional<Monitor> monitor_;

    io::Row row_;
    std::optional<SentinelWatch> sentinels_;   // of a new run, in its first rows
    bool opened_ = false;                      // the inputs and outputs are
    bool between_rows_ = true;                 // the model, the counts and the resume point are of the same row
    std::uint64_t rows_since_checkpoint_ = 0;  // learnt since the last checkpoint
    std::uint64_t rows_since_attempt_ = 0;     // learnt since the last attempt to write one
    std::chrono::steady_clock::time_point last_attempt_;
};

}  // namespace sluice::job
