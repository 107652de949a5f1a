#include "interrupt.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <system_error>

namespace sluice::io {

namespace {

// A handler may do little: set a flag and write a byte. The pipe ends a poll() that began just before the signal.
struct Request {
    volatile std::sig_atomic_t flag = 0;
    std::array<int, 2> pipe = {-1, -1};

    void open() {
        if (pipe2(pipe.data(), O_CLOEXEC | O_NONBLOCK) != 0) {
            throw std::system_error(errno, std::generic_category(), "pipe");
        }
        flag = 0;
    }
    void note() {
        const int before = errno;
        flag = 1;
        const char byte = 1;
        (void)!write(pipe[1], &byte, 1);
        errno = before;
    }
    void close() {
        ::close(pipe[0]);
        ::close(pipe[1]);
        pipe = {-1, -1};
    }
};

Request stop_request;
Request reopen_request;

extern "C" void note_stop(int /*signal*/) {
    stop_request.note();
}

extern "C" void note_reopen(int /*signal*/) {
    reopen_request.note();
}

void handle(int signal, void (*handler)(int), int flags) {
    struct sigaction action {};
    action.sa_handler = handler;
    action.sa_flags = flags;
    sigemptyset(&action.sa_mask);
    sigaction(signal, &action, nullptr);
}

bool is_ignored(int signal) {
    struct sigaction action {};
    return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

Interrupt::Interrupt(Hangup hangup) : handles_hangup_(hangup != Hangup::usual && !is_ignored(SIGHUP)) {
    stop_request.open();
    try {
        reopen_request.open();
    } catch (...) {
        stop_request.close();
        throw;
    }
    constexpr int kOnce = static_cast<int>(SA_RESETHAND);
    handle(SIGINT, note_stop, kOnce);
    handle(SIGTERM, note_stop, kOnce);
    if (handles_hangup_) {
        hangup == Hangup::stop ? handle(SIGHUP, note_stop, kOnce) : handle(SIGHUP, note_reopen, 0);
    }
}

Interrupt::~Interrupt() {
    handle(SIGINT, SIG_DFL, 0);
    handle(SIGTERM, SIG_DFL, 0);
    if (handles_hangup_) {
        handle(SIGHUP, SIG_DFL, 0);
    }
    stop_request.close();
    reopen_request.close();
}

// NOLINTBEGIN(readability-convert-member-functions-to-static)
bool Interrupt::requested() const noexcept {
    return stop_request.flag != 0;
}

int Interrupt::descriptor() const noexcept {
    return stop_request.pipe[0];
}

bool Interrupt::take_reopen() const noexcept {
    if (reopen_request.flag == 0) {
        return false;
    }
    do {  // again where a signal came in between: the pipe is then empty, and the flag set
        reopen_request.flag = 0;
        std::array<char, 64> bytes{};
        while (read(reopen_request.pipe[0], bytes.data(), bytes.size()) > 0) {
        }
    } while (reopen_request.flag != 0);
    return true;
}

int Interrupt::reopen_descriptor() const noexcept {
    return reopen_request.pipe[0];
}
// NOLINTEND(readability-convert-member-functions-to-static)

}  // namespace sluice::io
