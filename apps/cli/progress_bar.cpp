#include "progress_bar.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "words.hpp"

namespace sluice::cli {

namespace {

constexpr double kSecondsBetweenDrawings = 0.1;
constexpr std::size_t kWidth = 30;

double seconds_since(std::chrono::steady_clock::time_point then) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - then).count();
}

}  // namespace

ProgressBar::ProgressBar(std::size_t total, bool quiet)
    : total_(std::max<std::size_t>(total, 1)), shown_(!quiet && isatty(STDERR_FILENO) == 1) {}

ProgressBar::~ProgressBar() {
    if (shown_) {
        fmt::print(stderr, "\r\033[K");
    }
}

void ProgressBar::add(std::size_t done) {
    done_ = std::min(done_ + done, total_);
    if (shown_ && done_ > 0 && seconds_since(drawn_) >= kSecondsBetweenDrawings) {
        drawn_ = Clock::now();
        draw(seconds_since(start_));
    }
}

void ProgressBar::draw(double seconds) const {
    const double share = static_cast<double>(done_) / static_cast<double>(total_);
    const auto filled = static_cast<std::size_t>(share * kWidth);
    fmt::print(stderr, "\r{:<11}[{}{}] {:3.0f} %  {} left\033[K", label_, std::string(filled, '#'),
               std::string(kWidth - filled, '.'), 100.0 * share, duration(seconds * (1.0 - share) / share));
    (void)std::fflush(stderr);
}

}  // namespace sluice::cli
