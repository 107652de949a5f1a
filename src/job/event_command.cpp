#include "event_command.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include "usage.hpp"

extern char** environ;  // NOLINT(readability-redundant-declaration): not every header of the C library has it

namespace sluice::job {

namespace {

constexpr std::chrono::milliseconds kBetweenPolls{5};

// Whether execvp() would find a program of that name.
bool is_found(const std::string& program) {
    if (program.find('/') != std::string::npos) {
        return ::access(program.c_str(), X_OK) == 0;
    }
    const char* set = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe): nothing sets it
    const std::string_view path = set != nullptr ? set : "/bin:/usr/bin";
    for (std::size_t from = 0; from <= path.size();) {
        const std::size_t end = std::min(path.find(':', from), path.size());
        const std::string folder(path.substr(from, end - from));
        if (::access(((folder.empty() ? "." : folder) + "/" + program).c_str(), X_OK) == 0) {
            return true;
        }
        from = end + 1;
    }
    return false;
}

// A file in memory, to be read from its start: a pipe could be full. Negative where there is none; errno has the reason.
int file_with(std::string_view content) {
    const int file = ::memfd_create("sluice-event", MFD_CLOEXEC);
    while (file >= 0 && !content.empty()) {
        const ssize_t done = ::write(file, content.data(), content.size());
        if (done < 0 && errno != EINTR) {
            const int reason = errno;
            ::close(file);
            errno = reason;
            return -1;
        }
        content.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(done, 0)));
    }
    if (file >= 0) {
        ::lseek(file, 0, SEEK_SET);
    }
    return file;
}

// Starts the command; 0, or the reason why not. In a process group of its own: what interrupts the stream from the
// terminal does not interrupt the command.
int spawn(const std::vector<std::string>& words, int input, pid_t& child) {
    std::vector<char*> argv;
    argv.reserve(words.size() + 1);
    for (const std::string& word : words) {
        argv.push_back(
            const_cast<char*>(word.c_str()));  // NOLINT(cppcoreguidelines-pro-type-const-cast): as exec wants
    }
    argv.push_back(nullptr);
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
    sigset_t none;
    sigset_t usual;
    sigemptyset(&none);
    sigemptyset(&usual);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGCHLD}) {
        sigaddset(&usual, signal);
    }
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(
        &attributes, static_cast<short>(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP));
    const int reason = ::posix_spawnp(&child, argv[0], &files, &attributes, argv.data(), environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return reason;
}

std::string how_it_ended(int status) {
    return WIFSIGNALED(status) ? fmt::format("was ended by signal {}", WTERMSIG(status))
                               : fmt::format("ended with code {}", WEXITSTATUS(status));
}

}  // namespace

std::vector<std::string> command_words(const std::string& text) {
    std::vector<std::string> words;
    bool inside = false;
    char quote = '\0';
    for (const char c : text) {
        const bool blank = c == ' ' || c == '\t' || c == '\n';
        if (quote != '\0') {
            if (c == quote) {
                quote = '\0';
            } else {
                words.back() += c;
            }
        } else if (blank) {
            inside = false;
        } else {
            if (!std::exchange(inside, true)) {
                words.emplace_back();
            }
            if (c == '\'' || c == '"') {
                quote = c;
            } else {
                words.back() += c;
            }
        }
    }
    if (quote != '\0') {
        throw UsageError({"on_event"}, fmt::format("{}: a quote ({}) does not end", text, quote));
    }
    if (words.empty() || words.front().empty()) {
        throw UsageError({"on_event"}, "the command is empty");
    }
    return words;
}

EventCommand::EventCommand(std::vector<std::string> words, MessageHandler message)
    : words_(std::move(words)), message_(std::move(message)) {
    if (!is_found(words_.front())) {
        say_once(said_not_started_, "cannot be started: there is no such program");
    }
}

EventCommand::~EventCommand() = default;

void EventCommand::say_once(bool& said, const std::string& what) {
    if (!std::exchange(said, true)) {
        message_({.severity = Message::Severity::warning,
                  .text = fmt::format("the command for events, {}, {} (this is said once)", words_.front(), what)});
    }
}

void EventCommand::add(const Event& event) {
    if (waiting_.size() >= kMostWaiting) {
        ++dropped_;
        say_once(said_dropped_, fmt::format("is slower than the events: {} wait, and more are dropped", kMostWaiting));
        return;
    }
    waiting_.push_back(event_json(event) + "\n");
    polled_ = {};
    poll();
}

void EventCommand::poll() {
    if (waiting_.empty() && !busy()) {
        return;
    }
    const auto now = Clock::now();
    if (now - polled_ < kBetweenPolls) {
        return;
    }
    polled_ = now;
    reap(now);
    while (!busy() && !waiting_.empty()) {
        start();
    }
}

void EventCommand::start() {
    const std::string event = std::move(waiting_.front());
    waiting_.pop_front();
    const int input = file_with(event);
    pid_t child = 0;
    const int reason = input < 0 ? errno : spawn(words_, input, child);
    if (input >= 0) {
        ::close(input);
    }
    if (reason != 0) {
        ++dropped_;
        say_once(said_not_started_, "cannot be started: " + std::generic_category().message(reason));
        return;
    }
    ++started_;
    child_ = child;
    child_started_ = Clock::now();
    killed_ = false;
}

// Sees whether the command has ended; ends one that takes too long.
void EventCommand::reap(Clock::time_point now) {
    if (!busy()) {
        return;
    }
    int status = 0;
    const pid_t ended = ::waitpid(child_, &status, WNOHANG);
    if (ended == 0) {
        if (now - child_started_ > kLongestRun && !std::exchange(killed_, true)) {
            ::kill(-child_, SIGKILL);  // the command and what it started
        }
        return;
    }
    child_ = 0;
    if (ended < 0 || status != 0) {
        ++failed_;
        say_once(said_failed_, killed_ ? fmt::format("took longer than {} s and was ended", kLongestRun.count())
                                       : how_it_ended(status));
    }
}

void EventCommand::finish(std::chrono::milliseconds longest) {
    const auto end = Clock::now() + longest;
    for (;;) {
        polled_ = {};
        poll();
        if ((!busy() && waiting_.empty()) || Clock::now() >= end) {
            break;
        }
        ::poll(nullptr, 0, 2);
    }
    if (!waiting_.empty()) {
        dropped_ += waiting_.size();
        message_({.severity = Message::Severity::warning,
                  .text = fmt::format("{} events were not given to the command for events, {}: there was no time left",
                                      waiting_.size(), words_.front())});
        waiting_.clear();
    }
}

}  // namespace sluice::job
