// progress_bar.hpp -- a bar with the time left on standard error, where that is a terminal.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace sluice::cli {

class ProgressBar {
  public:
    ProgressBar(std::size_t total, bool quiet);
    ~ProgressBar();
    ProgressBar(const ProgressBar&) = delete;
    ProgressBar& operator=(const ProgressBar&) = delete;
    ProgressBar(ProgressBar&&) = delete;
    ProgressBar& operator=(ProgressBar&&) = delete;

    void label(std::string label) { label_ = std::move(label); }  ///< what is being done
    void add(std::size_t done);                                   ///< draws a few times a second

  private:
    using Clock = std::chrono::steady_clock;
    void draw(double seconds) const;

    std::size_t total_;
    bool shown_;
    std::size_t done_ = 0;
    std::string label_;
    Clock::time_point start_ = Clock::now();
    Clock::time_point drawn_ = start_;
};

}  // namespace sluice::cli
