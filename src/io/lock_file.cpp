#include "lock_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>

namespace sluice::io {

LockFile::LockFile(const std::string& path) : path_(path + ".lock") {
    constexpr int kAttempts = 100;  // a file that is removed between open and lock is opened again
    for (int i = 0; i < kAttempts; ++i) {
        constexpr mode_t kLockMode = 0644;
        file_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, kLockMode);  // NOLINT(*-vararg)
        if (file_ < 0) {
            return;
        }
        if (lock()) {
            note_process();
            return;
        }
        ::close(file_);
        file_ = -1;
        if (holder_) {
            return;
        }
    }
}

LockFile::~LockFile() {
    if (file_ >= 0) {
        ::unlink(path_.c_str());  // before the lock ends: whoever waits sees that the file is another one
        ::close(file_);
    }
}

// Whether the file at the path is locked now. Sets holder_ where another process has it.
bool LockFile::lock() {
    if (::flock(file_, LOCK_EX | LOCK_NB) != 0) {
        if (errno == EWOULDBLOCK) {
            find_holder();
        } else if (errno != EINTR) {
            return true;  // a file system without locks
        }
        return false;
    }
    struct stat opened {};
    struct stat present {};
    return ::fstat(file_, &opened) == 0 && ::stat(path_.c_str(), &present) == 0 && opened.st_dev == present.st_dev &&
           opened.st_ino == present.st_ino;
}

void LockFile::note_process() const {
    const std::string number = std::to_string(::getpid()) + "\n";
    (void)!::ftruncate(file_, 0);
    (void)!::pwrite(file_, number.data(), number.size(), 0);
}

void LockFile::find_holder() {
    std::array<char, 32> text{};
    const ssize_t bytes = ::pread(file_, text.data(), text.size(), 0);
    pid_t number = 0;
    if (bytes > 0) {
        (void)std::from_chars(text.data(), text.data() + bytes, number);
    }
    holder_ = number;
}

}  // namespace sluice::io
