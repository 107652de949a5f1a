// metrics.hpp -- the state of a run for Prometheus, in its text form, as the textfile collector of the node exporter
// reads it.
//
// The label `stream` is the name of the file without its folder and its ending, so that several streams of one machine
// can be told apart. Times are seconds since 1970, as is the custom: their age is computed by whoever reads them.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "column_watch.hpp"
#include "disk.hpp"
#include "event_command.hpp"
#include "event_log.hpp"
#include "learner.hpp"
#include "message.hpp"
#include "tally.hpp"

namespace sluice::job {

/// What the metrics are made from; the pointers outlive the call.
struct MetricsSource {
    const Tally* tally = nullptr;
    const EventLog* events = nullptr;
    const ColumnWatch* columns = nullptr;
    const Learner* learner = nullptr;
    const std::vector<std::string>* targets = nullptr;
    const EventCommand* command = nullptr;  ///< null: there is none
    bool running = true;
    double started = 0.0;                   ///< seconds since 1970
    double last_row = 0.0;                  ///< when the last row came; before the first, when the process started
    std::optional<double> checkpoint = {};  ///< the same of the last checkpoint; nothing where none is kept
};

[[nodiscard]] std::string metrics_text(const MetricsSource& source, const std::string& stream);

/// The file, replaced as a whole: whoever reads it sees the old text or the new one.
class MetricsFile {
  public:
    using Clock = std::chrono::steady_clock;
    /// Throws UsageError where `path` exists and is not a regular file, or is a link to one.
    MetricsFile(io::Disk& disk, std::string path, MessageHandler message);

    [[nodiscard]] bool due(Clock::time_point now) const noexcept { return now - written_ >= kInterval; }
    /// A failure is said once, until a later attempt succeeds. Does not throw.
    void write(const MetricsSource& source);
    [[nodiscard]] const std::string& stream() const noexcept { return stream_; }

    static constexpr std::chrono::seconds kInterval{10};

  private:
    io::Disk& disk_;
    std::string path_;
    std::string stream_;
    MessageHandler message_;
    Clock::time_point written_;
    bool failing_ = false;
};

/// The time now, in seconds since 1970.
[[nodiscard]] double unix_seconds();

}  // namespace sluice::job
