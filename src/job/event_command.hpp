// event_command.hpp -- the user's command, run once for each event with the event's JSON on its standard input.
//
// It never blocks the stream. One command runs at a time; at most kMostWaiting events wait, and those beyond are dropped
// and counted. A command that runs longer than kLongestRun is killed. The command is started without a shell, with its
// standard output at /dev/null, and inherits no other file of ours but standard error.
//
// A run that was killed and resumed repeats the rows after its checkpoint, and so the commands of their events.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "event.hpp"
#include "message.hpp"

namespace sluice::job {

/// The words of a command: separated by blanks; '...' and "..." keep blanks together; a backslash is an ordinary
/// character. Nothing is expanded. Throws UsageError for a quote without end and for no word at all.
[[nodiscard]] std::vector<std::string> command_words(const std::string& text);

class EventCommand {
  public:
    using Clock = std::chrono::steady_clock;
    /// Says at once where there is no such command. `words` is not empty.
    EventCommand(std::vector<std::string> words, MessageHandler message);
    /// Waits for nothing: a command that still runs goes on.
    ~EventCommand();
    EventCommand(const EventCommand&) = delete;
    EventCommand& operator=(const EventCommand&) = delete;
    EventCommand(EventCommand&&) = delete;
    EventCommand& operator=(EventCommand&&) = delete;

    void add(const Event& event);
    /// Call it often: sees whether the command has ended, and starts the next one.
    void poll();
    /// Runs what waits, at most for this time. What is left is dropped.
    void finish(std::chrono::milliseconds longest);

    [[nodiscard]] std::uint64_t started() const noexcept { return started_; }
    [[nodiscard]] std::uint64_t dropped() const noexcept { return dropped_; }  ///< events without a command
    [[nodiscard]] std::uint64_t failed() const noexcept { return failed_; }    ///< ended otherwise than with code 0

    static constexpr std::size_t kMostWaiting = 100;
    static constexpr std::chrono::seconds kLongestRun{60};

  private:
    void start();
    void reap(Clock::time_point now);
    void say_once(bool& said, const std::string& what);
    [[nodiscard]] bool busy() const noexcept { return child_ > 0; }

    std::vector<std::string> words_;
    MessageHandler message_;
    std::deque<std::string> waiting_;
    pid_t child_ = 0;
    Clock::time_point child_started_;
    Clock::time_point polled_;
    bool killed_ = false;
    std::uint64_t started_ = 0;
    std::uint64_t dropped_ = 0;
    std::uint64_t failed_ = 0;
    bool said_not_started_ = false;
    bool said_failed_ = false;
    bool said_dropped_ = false;
};

}  // namespace sluice::job
