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
volatile std::sig_atomic_t requested_flag = 0;
std::array<int, 2> wake_up = {-1, -1};

extern "C" void note_signal(int /*signal*/) {
    const int before = errno;
    requested_flag = 1;
    const char byte = 1;
    (void)!write(wake_up[1], &byte, 1);
    errno = before;
}

}  // namespace

Interrupt::Interrupt() {
    if (pipe2(wake_up.data(), O_CLOEXEC | O_NONBLOCK) != 0) {
        throw std::system_error(errno, std::generic_category(), "pipe");
    }
    requested_flag = 0;
    struct sigaction action {};
    action.sa_handler = note_signal;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
}

Interrupt::~Interrupt() {
    struct sigaction usual {};
    usual.sa_handler = SIG_DFL;
    sigaction(SIGINT, &usual, nullptr);
    sigaction(SIGTERM, &usual, nullptr);
    close(wake_up[0]);
    close(wake_up[1]);
    wake_up = {-1, -1};
}

// NOLINTNEXTLINE(readability-convert-member-functions-to-static)
bool Interrupt::requested() const noexcept {
    return requested_flag != 0;
}

// NOLINTNEXTLINE(readability-convert-member-functions-to-static)
int Interrupt::descriptor() const noexcept {
    return wake_up[0];
}

}  // namespace sluice::io
