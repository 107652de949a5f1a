// fleet_job.hpp -- a fleet in one process: reads rows of all keys from one input, answers each in their order, and keeps all
// models in one folder, from which a later run continues as if there had been no interruption.
//
// Rows are read into a block, the block goes through the fleet (fleet.hpp), and its records are written. With several threads
// the next block is read meanwhile. At a checkpoint the records are synced first, then the states, then the manifest with the
// position in input and output.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config.hpp"
#include "disk.hpp"
#include "feed.hpp"
#include "fleet.hpp"
#include "interrupt.hpp"
#include "lock_file.hpp"
#include "message.hpp"
#include "output_file.hpp"
#include "resume_point.hpp"
#include "state_store.hpp"

namespace sluice::fleet {

struct FleetSettings {
    std::string input = "-";
    io::Dialect dialect;
    bool follow = false;
    Config config;
    std::string state;                  ///< folder; empty: nothing is kept
    std::string out;                    ///< NDJSON; empty: no records
    std::uint64_t checkpoint_rows = 0;  ///< 0: not by rows
    double checkpoint_seconds = 0;      ///< 0: not by time
    bool resume = false;
    std::size_t threads = 1;
    std::size_t memory = std::size_t{2} << 30U;  ///< bytes of models that stay in memory, with a folder
};

class FleetJob {
  public:
    /// Throws UsageError, job::SettingError, DataError, StateError, io::DiskError, io::SourceError, job::Stopped.
    FleetJob(FleetSettings settings, io::Disk& disk, const io::Interrupt* interrupt, job::MessageHandler message);
    ~FleetJob();
    FleetJob(const FleetJob&) = delete;
    FleetJob& operator=(const FleetJob&) = delete;
    FleetJob(FleetJob&&) = delete;
    FleetJob& operator=(FleetJob&&) = delete;

    /// False where it was interrupted. `each_block` is called after every block.
    [[nodiscard]] bool run(const std::function<void()>& each_block = {});

    [[nodiscard]] const Fleet& fleet() const noexcept { return *fleet_; }
    [[nodiscard]] std::uint64_t resumed_at() const noexcept { return resumed_at_; }  ///< rows before this run
    [[nodiscard]] std::uint64_t state_bytes() const { return store_ ? store_->bytes() : 0; }

  private:
    void open_state();
    void open_input();
    void prepare(io::RowReader& reader);
    [[nodiscard]] bool read_row();
    void note_new_columns(RowBlock::Row& about);
    void start_block();
    void finish_block();
    void complete_blocks();
    [[nodiscard]] bool checkpoint_due() const;
    void write_checkpoint(bool closed = false);
    [[nodiscard]] bool stopped() const { return interrupt_ != nullptr && interrupt_->requested(); }

    FleetSettings settings_;
    io::Disk& disk_;
    const io::Interrupt* interrupt_;
    job::MessageHandler message_;
    std::optional<io::LockFile> lock_;
    std::unique_ptr<StateStore> store_;
    std::optional<Fleet> fleet_;
    std::optional<job::Feed> feed_;
    std::unique_ptr<io::OutputFile> out_;
    job::ResumePoint resume_point_;
    std::vector<std::string> known_new_;  // columns that were new once
    std::size_t seen_new_ = 0;            // of the reader's list
    bool resumed_ = false;
    std::uint64_t resumed_at_ = 0;
    std::function<void()> each_block_;

    RowBlock block_;    // being read
    RowBlock started_;  // in the fleet
    io::Row row_;
    std::string no_records_;
    std::size_t sequence_text_ = 0;  // places among the texts of a row
    std::size_t time_text_ = 0;
    std::uint64_t rows_since_checkpoint_ = 0;
    std::chrono::steady_clock::time_point last_checkpoint_;
    std::future<void> step_;  // of the started block; the last member, so that what it uses outlives it
};

}  // namespace sluice::fleet
