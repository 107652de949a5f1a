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
#include <vector>

#include "disk.hpp"
#include "interrupt.hpp"
#include "model_file.hpp"
#include "output_file.hpp"
#include "record_writer.hpp"
#include "roles.hpp"
#include "row_reader.hpp"
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

    std::uint64_t warmup = 0;
    bool skip_bad_rows = false;
    std::string rejects;  ///< empty: none
    std::string out;      ///< empty: no records
    RecordFormat out_format = RecordFormat::ndjson;

    std::string checkpoint;             ///< empty: none
    std::uint64_t checkpoint_rows = 0;  ///< 0: not by rows
    double checkpoint_seconds = 0;      ///< 0: not by time
    bool resume = false;
    bool from_here = false;  ///< with resume: the input begins after the checkpoint; no row is skipped
};

/// A message for the user while the job runs.
struct Message {
    enum class Severity { note, warning };
    Severity severity = Severity::note;
    std::string text;
    io::Remedies remedies = {};
};
using MessageHandler = std::function<void(const Message& message)>;

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

    [[nodiscard]] const Roles& roles() const noexcept { return roles_; }
    [[nodiscard]] const std::vector<std::string>& input_names() const noexcept { return input_names_; }
    [[nodiscard]] const Learner& learner() const noexcept { return *learner_; }
    [[nodiscard]] const Tally& tally() const noexcept { return *tally_; }
    [[nodiscard]] const Intervals* intervals() const noexcept { return intervals_ ? &*intervals_ : nullptr; }
    [[nodiscard]] double share_read() const { return reader_->source().share_read(); }
    [[nodiscard]] std::uint64_t resumed_at() const noexcept { return resumed_at_; }  ///< rows learnt before this run

  private:
    void check_files_differ() const;
    [[nodiscard]] std::optional<ModelFile> read_checkpoint();
    void open_input();
    void start_new();
    void start_from(ModelFile&& file);
    void start_intervals();
    void check_settings_agree(const ModelFile& file) const;
    void open_outputs(bool resumed);
    void skip_known_rows();
    void learn_row();
    void reject(const io::RowError& error);
    [[nodiscard]] bool checkpoint_due();
    void write_checkpoint();
    void flush_before_waiting();
    void flush_outputs();

    StreamSettings settings_;
    io::Disk& disk_;
    const io::Interrupt* interrupt_;
    MessageHandler message_;

    std::unique_ptr<io::RowReader> reader_;
    Roles roles_;
    std::vector<std::string> input_names_;
    std::optional<Learner> learner_;
    std::optional<Tally> tally_;
    std::optional<Intervals> intervals_;
    ResumePoint resume_point_;
    std::uint64_t resumed_at_ = 0;

    std::unique_ptr<io::OutputFile> out_;
    std::unique_ptr<io::OutputFile> rejects_;
    std::unique_ptr<RecordWriter> records_;

    io::Row row_;
    std::uint64_t rows_since_checkpoint_ = 0;  // learnt since the last checkpoint
    std::uint64_t rows_since_attempt_ = 0;     // learnt since the last attempt to write one
    std::chrono::steady_clock::time_point last_attempt_;
};

}  // namespace sluice::job
