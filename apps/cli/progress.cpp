#include "progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <string>

#include "words.hpp"

namespace sluice::cli {

namespace {

constexpr std::uint64_t kRowsBetweenLooksAtTheClock = 32;
constexpr double kSecondsBetweenLines = 0.2;

std::size_t terminal_width() {
    winsize size{};
    constexpr std::size_t kUsual = 80;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kUsual;  // NOLINT(*-vararg)
}

}  // namespace

Progress::Progress(const job::StreamJob& job, bool quiet)
    : job_(job), shown_(!quiet && isatty(STDERR_FILENO) == 1), rows_at_start_(job.tally().rows()) {}

Progress::~Progress() {
    if (shown_) {
        fmt::print(stderr, "\r\033[K");
    }
}

double Progress::seconds() const {
    return std::chrono::duration<double>(Clock::now() - start_).count();
}

double Progress::rows_per_second() const {
    return static_cast<double>(job_.tally().rows() - rows_at_start_) / seconds();
}

void Progress::row() {
    ++rows_;
    if (!shown_ || rows_ % kRowsBetweenLooksAtTheClock != 0) {
        return;
    }
    const auto now = Clock::now();
    if (std::chrono::duration<double>(now - drawn_).count() >= kSecondsBetweenLines) {
        drawn_ = now;
        draw();
    }
}

void Progress::draw() const {
    const double share = job_.share_read();
    std::string line = fmt::format("{} rows  {} rows/s", grouped(job_.tally().rows()),
                                   grouped(static_cast<std::uint64_t>(rows_per_second())));
    if (share > 0.0) {
        line += fmt::format("  {:.0f} %  {} left", 100.0 * share, duration(seconds() * (1.0 - share) / share));
    }
    double sum = 0.0;
    for (const Score& score : job_.tally().scores()) {
        sum += score.error_over_variance();
    }
    if (const double error = sum / static_cast<double>(job_.tally().scores().size()); std::isfinite(error)) {
        line += fmt::format("  error/variance {:.3f}", error);
    }
    line += "  ";
    const AdaptiveModel& model = job_.learner().model();
    if (model.options().tuning.any()) {
        for (const Importance& one : model.importances()) {  // the end of the line may be cut off
            line += " " + job_.input_names()[one.input];
        }
    } else {
        for (const std::size_t input : model.selected()) {
            line += " " + job_.input_names()[input];
        }
    }
    const std::size_t room = terminal_width() - 1;
    if (line.size() > room) {
        line.resize(room);
    }
    fmt::print(stderr, "\r{}\033[K", line);
    std::fflush(stderr);
}

}  // namespace sluice::cli
