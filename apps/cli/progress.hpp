// progress.hpp -- one line on standard error while a stream runs, where that is a terminal.
#pragma once

#include <chrono>
#include <cstdint>

#include "stream_job.hpp"

namespace sluice::cli {

class Progress {
  public:
    Progress(const job::StreamJob& job, bool quiet);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;
    Progress(Progress&&) = delete;
    Progress& operator=(Progress&&) = delete;

    void row();  ///< after each row; draws a few times a second
    [[nodiscard]] double seconds() const;
    [[nodiscard]] double rows_per_second() const;

  private:
    void draw() const;
    using Clock = std::chrono::steady_clock;

    const job::StreamJob& job_;
    bool shown_;
    Clock::time_point start_ = Clock::now();
    Clock::time_point drawn_ = start_;
    std::uint64_t rows_at_start_;
    std::uint64_t rows_ = 0;
};

}  // namespace sluice::cli
