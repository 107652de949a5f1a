// stream_job.hpp -- the main job: reads rows, predicts each before learning from it, writes what it saw, and keeps a
// checkpoint from which a later run goes on as if nothing had happened.
//
// At a checkpoint the records are synced first, then the model file takes the length that they had. A run that was
// killed and resumed cuts the records back to that length and reads on from the row that came next, so its files end
// up the same, byte for byte.
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
    std::optional<std::vector<std::size_t>> lags;  ///< empty: none, or the checkpoint's
    std::optional<std::size_t> horizon;
    AdaptiveOptions options;
    std::vector<std::string> options_given;  ///< by name: a resumed run must not contradict its checkpoint
    std::string group_file;                  ///< lines of "column,group", for the group lasso

    std::uint64_t warmup = 0;
    bool skip_bad_rows = false;
    std::string rejects;  ///< empty: none
    std::string out;      ///< empty: no records
    RecordFormat out_format = RecordFormat::ndjson;

    std::string checkpoint;             ///< empty: none
    std::uint64_t checkpoint_rows = 0;  ///< 0: not by rows
    double checkpoint_seconds = 0;      ///< 0: not by time
    bool resume = false;
    bool from_here = false;  ///< the input goes on where the checkpoint stands; nothing is passed over
};

/// Takes a message for the user. A warning tells of something that is not as it should be, though the job goes on.
enum class Tone { note, warning };
using Say = std::function<void(Tone tone, const std::string& message)>;

class StreamJob {
  public:
    /// Opens everything, checks everything. `interrupt` may be null.
    /// Throws UsageError, OptionError, DataError, StateError, io::DiskError, io::SourceError.
    StreamJob(StreamSettings settings, io::Disk& disk, const io::Interrupt* interrupt, Say say);
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
    [[nodiscard]] double share_read() const { return reader_->source().share_read(); }
    [[nodiscard]] std::uint64_t resumed_at() const noexcept { return resumed_at_; }  ///< rows known at the start

  private:
    void check_no_file_is_written_over() const;
    [[nodiscard]] std::optional<ModelFile> read_checkpoint();
    void open_input();
    void begin_anew();
    void go_on_from(ModelFile&& file);
    void check_nothing_contradicts(const ModelFile& file) const;
    void open_outputs(bool resumed);
    void pass_over_known_rows();
    void learn_row();
    void reject(const io::RowError& error);
    [[nodiscard]] bool checkpoint_due();
    void write_checkpoint();
    void settle_before_waiting();
    void flush_outputs();

    StreamSettings settings_;
    io::Disk& disk_;
    const io::Interrupt* interrupt_;
    Say say_;

    std::unique_ptr<io::RowReader> reader_;
    Roles roles_;
    std::vector<std::string> input_names_;
    std::optional<Learner> learner_;
    std::optional<Tally> tally_;
    Standing standing_;
    std::uint64_t resumed_at_ = 0;

    std::unique_ptr<io::OutputFile> out_;
    std::unique_ptr<io::OutputFile> rejects_;
    std::unique_ptr<RecordWriter> records_;

    io::Row row_;
    std::uint64_t rows_since_checkpoint_ = 0;  // not kept yet
    std::uint64_t rows_since_attempt_ = 0;     // to keep them
    std::chrono::steady_clock::time_point last_attempt_;
};

}  // namespace sluice::job
