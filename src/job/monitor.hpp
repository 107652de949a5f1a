// monitor.hpp -- what a run shows to other programs while it runs: the command for events and the file of metrics.
#pragma once

#include <memory>
#include <string>

#include "event_command.hpp"
#include "metrics.hpp"

namespace sluice::job {

class Monitor {
  public:
    struct Settings {
        std::string on_event;  ///< a command (event_command.hpp); empty: none
        std::string metrics;   ///< a path; empty: none
        [[nodiscard]] bool works() const { return !on_event.empty() || !metrics.empty(); }
    };
    /// What `source` points to outlives the object. Throws UsageError.
    Monitor(const Settings& settings, io::Disk& disk, const MessageHandler& message, const MetricsSource& source);
    ~Monitor();  ///< finishes
    Monitor(const Monitor&) = delete;
    Monitor& operator=(const Monitor&) = delete;
    Monitor(Monitor&&) = delete;
    Monitor& operator=(Monitor&&) = delete;

    void add(const Event& event);
    void after_row();
    void after_checkpoint();
    /// Call it often, also while there are no rows: writes the metrics when they are due, and polls the command.
    void tick();
    /// Waits a few seconds for commands, and writes the metrics for the last time.
    void finish();

  private:
    std::unique_ptr<EventCommand> command_;
    std::unique_ptr<MetricsFile> metrics_;
    MetricsSource source_;
};

}  // namespace sluice::job
