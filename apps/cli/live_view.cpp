#include "live_view.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <stdexcept>
#include <system_error>
#include <utility>
#include <vector>

#include "other_program.hpp"

namespace sluice::cli {

namespace {

constexpr int kSendBuffer = 1 << 20;  // bytes that may wait for the other program

// The first line; empty where there is none.
std::string read_line(int descriptor) {
    std::string line;
    for (char c = 0; ::read(descriptor, &c, 1) == 1 && c != '\n';) {
        line += c;
    }
    return line;
}

[[noreturn]] void fail(const char* what) {
    throw std::system_error(errno, std::generic_category(), what);
}

}  // namespace

LiveView::LiveView(const Settings& settings, job::RecordNames names) {
    const std::size_t inputs = names.inputs.size();
    names.has_weights = true;
    writer_ = job::make_record_writer(job::RecordFormat::ndjson, names);
    std::vector<std::string> words = {other_program("sluice-serve"),
                                      "--watch=-",
                                      "--quiet",
                                      fmt::format("--port={}", settings.port),
                                      "--watch-title=" + settings.title,
                                      fmt::format("--watch-inputs={}", inputs),
                                      fmt::format("--watch-warmup={}", settings.warmup)};
    std::vector<char*> arguments;
    arguments.reserve(words.size() + 1);
    for (std::string& word : words) {
        arguments.push_back(word.data());
    }
    arguments.push_back(nullptr);

    std::array<int, 2> records{};  // ours, and the other program's standard input
    std::array<int, 2> answer{};   // its standard output
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, records.data()) != 0 ||
        pipe2(answer.data(), O_CLOEXEC) != 0) {
        fail("cannot start the page");
    }
    (void)setsockopt(records[0], SOL_SOCKET, SO_SNDBUF, &kSendBuffer, sizeof kSendBuffer);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, records[1], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, answer[1], STDOUT_FILENO);
    const int problem = posix_spawn(&program_, words.front().c_str(), &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    ::close(records[1]);
    ::close(answer[1]);
    socket_ = records[0];
    if (problem == 0) {
        address_ = read_line(answer[0]);
    }
    ::close(answer[0]);
    if (problem != 0 || address_.empty()) {
        const std::string why = problem != 0 ? std::generic_category().message(problem) : "see above";
        close_socket();
        throw std::runtime_error(fmt::format("the page cannot be served: {}", why));
    }
}

void LiveView::close_socket() {
    if (socket_ >= 0) {
        ::close(socket_);
        socket_ = -1;
    }
    if (program_ > 0) {
        (void)kill(program_, SIGTERM);
        (void)waitpid(program_, nullptr, 0);
        program_ = -1;
    }
}

LiveView::~LiveView() {
    close_socket();
}

void LiveView::add(const job::Record& record) {
    if (!shown()) {
        return;
    }
    text_.clear();
    writer_->write(text_, record);
    std::string_view rest = text_;
    while (!rest.empty()) {
        const ssize_t sent = send(socket_, rest.data(), rest.size(), MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) {
            continue;
        }
        if (sent < 0) {
            close_socket();
            return;
        }
        rest.remove_prefix(static_cast<std::size_t>(sent));
    }
}

void LiveView::stay(const io::Interrupt& interrupt) {
    std::array<pollfd, 2> waits = {{{.fd = interrupt.descriptor(), .events = POLLIN, .revents = 0},
                                    {.fd = socket_, .events = POLLIN, .revents = 0}}};
    while (shown() && !interrupt.requested() && waits[1].revents == 0) {
        (void)poll(waits.data(), waits.size(), -1);
    }
}

}  // namespace sluice::cli
