#include "metrics.hpp"

#include <fcntl.h>

#include <cerrno>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include "format_to.hpp"
#include "label_text.hpp"
#include "usage.hpp"

namespace sluice::job {

namespace {

// Lines of one metric after the other, each with its help and its type.
class MetricsText {
  public:
    explicit MetricsText(const std::string& stream) : stream_(fmt::format("stream=\"{}\"", label_text(stream))) {}

    MetricsText& metric(std::string_view name, std::string_view type, std::string_view help) {
        name_ = fmt::format("sluice_{}", name);
        fmt::format_to(std::back_inserter(text_), "# HELP {} {}\n# TYPE {} {}\n", name_, help, name_, type);
        return *this;
    }
    MetricsText& value(std::uint64_t number) { return line("", fmt::format("{}", number)); }
    MetricsText& value(double number) { return line("", number_text(number)); }
    MetricsText& value(std::string_view label, std::string_view of, std::uint64_t number) {
        return line(fmt::format(",{}=\"{}\"", label, label_text(of)), fmt::format("{}", number));
    }
    MetricsText& value(std::string_view label, std::string_view of, double number) {
        return line(fmt::format(",{}=\"{}\"", label, label_text(of)), number_text(number));
    }
    [[nodiscard]] std::string take() && { return std::move(text_); }

  private:
    static std::string number_text(double number) {
        return std::isnan(number)   ? "NaN"
               : std::isinf(number) ? (number > 0 ? "+Inf" : "-Inf")
                                    : fmt::format("{}", number);
    }
    MetricsText& line(const std::string& labels, const std::string& number) {
        fmt::format_to(std::back_inserter(text_), "{}{{{}{}}} {}\n", name_, stream_, labels, number);
        return *this;
    }

    std::string stream_;
    std::string name_;
    std::string text_;
};

void append_targets(MetricsText& text, const MetricsSource& source) {
    const std::vector<Score>& scores = source.tally->scores();
    const std::vector<std::string>& targets = *source.targets;
    text.metric("error_over_variance", "gauge", "Squared error of the whole run over the variance of the target.");
    for (std::size_t j = 0; j < scores.size(); ++j) {
        text.value("target", targets[j], scores[j].error_over_variance());
    }
    text.metric("squared_error_total", "counter", "Sum of squared errors, in the unit of the target squared.");
    for (std::size_t j = 0; j < scores.size(); ++j) {
        const Score::Sums& sums = scores[j].sums();
        text.value("target", targets[j], std::ldexp(sums.error, 2 * sums.exponent));
    }
    text.metric("scored_rows_total", "counter", "Rows that the squared errors are over.");
    for (std::size_t j = 0; j < scores.size(); ++j) {
        text.value("target", targets[j], std::uint64_t{scores[j].count()});
    }
}

}  // namespace

double unix_seconds() {
    return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::string metrics_text(const MetricsSource& source, const std::string& stream) {
    MetricsText text(stream);
    text.metric("running", "gauge", "1 while the stream runs, 0 after its end.").value(source.running ? 1.0 : 0.0);
    text.metric("start_timestamp_seconds", "gauge", "When the process started.").value(source.started);
    text.metric("rows_total", "counter", "Rows that were predicted, learnt or not.").value(source.tally->rows());
    text.metric("learned_rows_total", "counter", "Rows that were learnt.").value(source.tally->learned());
    text.metric("skipped_rows_total", "counter", "Rows that could not be read.").value(source.tally->skipped());
    text.metric("last_row_timestamp_seconds", "gauge", "When the last row came, or the process started.")
        .value(source.last_row);
    if (source.checkpoint) {
        text.metric("checkpoint_timestamp_seconds", "gauge",
                    "When the last checkpoint was written, or the process started.")
            .value(*source.checkpoint);
    }
    text.metric("events_total", "counter", "Events, by kind.");
    for (std::size_t kind = 0; kind < kEventKinds; ++kind) {
        text.value("kind", name_of(static_cast<EventKind>(kind)), source.events->count(static_cast<EventKind>(kind)));
    }
    append_targets(text, source);
    text.metric("names", "gauge", "Inputs that predict now.")
        .value(std::uint64_t{source.learner->model().selected().size()});
    text.metric("inputs", "gauge", "Inputs of the model, lags included.")
        .value(std::uint64_t{source.learner->model().inputs()});
    text.metric("vanished_columns", "gauge", "Columns that have vanished and count as missing.")
        .value(std::uint64_t{source.columns->vanished()});
    text.metric("ignored_fields", "gauge", "New fields that are ignored.")
        .value(std::uint64_t{source.columns->ignored()});
    if (source.command != nullptr) {
        text.metric("commands_total", "counter", "Commands for events that were started.")
            .value(source.command->started());
        text.metric("failed_commands_total", "counter", "Commands for events that did not end with code 0.")
            .value(source.command->failed());
        text.metric("dropped_events_total", "counter", "Events for which no command was started.")
            .value(source.command->dropped());
    }
    return std::move(text).take();
}

MetricsFile::MetricsFile(io::Disk& disk, std::string path, MessageHandler message)
    : disk_(disk), path_(std::move(path)), message_(std::move(message)) {
    stream_ = std::filesystem::path(path_).stem().string();
    std::error_code none;
    if (std::filesystem::is_symlink(path_, none)) {  // what it points to is replaced, not the link
        const auto target = std::filesystem::weakly_canonical(path_, none);
        path_ = none ? path_ : target.string();
    }
    if (std::filesystem::exists(path_, none) && !std::filesystem::is_regular_file(path_, none)) {
        throw UsageError({"metrics"}, path_ + " is not a regular file, and it would be replaced");
    }
}

void MetricsFile::write(const MetricsSource& source) {
    written_ = Clock::now();
    const std::string text = metrics_text(source, stream_);
    const std::string new_path = path_ + ".new";  // the collector reads only names that end in .prom
    const char* tried = "create";
    const int file = disk_.open(new_path, O_WRONLY | O_CREAT | O_TRUNC);
    bool done = file >= 0;
    if (done) {
        tried = "write";
        done = io::write_all(disk_, file, std::as_bytes(std::span(text)));
        int reason = errno;
        if (disk_.close(file) != 0 && done) {
            reason = errno;
            done = false;
        }
        errno = reason;
    }
    if (done) {
        tried = "replace";
        done = disk_.rename(new_path, path_) == 0;
    }
    if (!done && !failing_) {
        message_({.severity = Message::Severity::warning,
                  .text = fmt::format("no metrics were written: {}. The stream continues (this is said once)",
                                      io::DiskError(tried, path_, errno).what())});
    }
    if (!done) {
        (void)disk_.unlink(new_path);
    }
    failing_ = !done;
}

}  // namespace sluice::job
