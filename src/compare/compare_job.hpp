// compare_job.hpp -- several methods on one stream, side by side: each row is predicted by every method before any of them
// learns from it, in one pass over the input.
//
// The rows are those of `sluice stream`: the same reader, roles, lags, horizon and rules for bad rows. A block of rows is
// read; then every method works through it, on one thread at a time. No result depends on the number of threads, except the
// time that was measured.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "contestant.hpp"
#include "error_curve.hpp"
#include "feed.hpp"
#include "interrupt.hpp"
#include "message.hpp"
#include "roles.hpp"
#include "row_reader.hpp"
#include "row_stack.hpp"
#include "sentinel_watch.hpp"
#include "trial.hpp"

namespace sluice::core {
class Workers;
}  // namespace sluice::core

namespace sluice::compare {

struct CompareSettings {
    std::string input = "-";
    io::Dialect dialect;
    job::RoleRequest roles;
    RowLayout layout;
    std::uint64_t warmup = 0;
    bool skip_bad_rows = false;

    std::vector<Entry> entries;  ///< what is compared
    std::size_t names = 10;      ///< the most inputs of a method that selects, 1 or more
    std::size_t season = 24;     ///< rows of a season, for the seasonal last value, 1 or more
    std::size_t threads = 1;     ///< 1 or more
    double most_seconds = 0.0;   ///< processor time that each method may take; 0: no limit
    bool pictures = false;       ///< counts what is selected when, for a report
};

class CompareJob {
  public:
    /// Opens the input and makes every method. `interrupt` may be null.
    /// Throws job::UsageError, DataError, io::SourceError, and job::Stopped.
    CompareJob(CompareSettings settings, const io::Interrupt* interrupt, job::MessageHandler message);
    CompareJob(const CompareJob&) = delete;
    CompareJob& operator=(const CompareJob&) = delete;
    CompareJob(CompareJob&&) = delete;
    CompareJob& operator=(CompareJob&&) = delete;
    ~CompareJob();

    enum class End { finished, interrupted };
    /// `each_block` is called after every block of rows. Throws io::RowError for a bad row where none may be skipped, and
    /// DataError where there is no row.
    [[nodiscard]] End run(const std::function<void()>& each_block = {});

    [[nodiscard]] const CompareSettings& settings() const noexcept { return settings_; }
    [[nodiscard]] const Roles& roles() const noexcept { return roles_; }
    [[nodiscard]] const std::vector<std::string>& input_names() const noexcept { return input_names_; }
    [[nodiscard]] const std::vector<Trial>& trials() const noexcept { return trials_; }
    [[nodiscard]] const WindowRows& windows() const noexcept { return windows_; }
    [[nodiscard]] std::uint64_t rows() const noexcept { return rows_; }
    [[nodiscard]] std::uint64_t skipped() const noexcept { return skipped_; }  ///< bad rows
    [[nodiscard]] double share_read() const { return feed_->reader().source().share_read(); }

  private:
    void open_input();
    [[nodiscard]] bool next_row();
    void read_block();
    void run_block();
    void report_sentinel();
    [[nodiscard]] bool stopped() const { return interrupt_ != nullptr && interrupt_->requested(); }
    [[nodiscard]] bool any_left() const;

    CompareSettings settings_;
    const io::Interrupt* interrupt_;
    job::MessageHandler message_;
    std::optional<job::Feed> feed_;
    Roles roles_;
    std::vector<std::string> input_names_;
    std::optional<job::RowStack> stack_;
    std::optional<job::SentinelWatch> sentinels_;
    std::vector<Trial> trials_;
    WindowRows windows_;
    std::unique_ptr<core::Workers> workers_;
    io::Row row_;
    Block block_;
    std::size_t block_rows_ = 0;  // at most
    bool ended_ = false;          // the input has
    std::uint64_t rows_ = 0;
    std::uint64_t skipped_ = 0;
};

}  // namespace sluice::compare
