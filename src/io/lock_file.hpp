// lock_file.hpp -- one process at a time: a lock on PATH.lock, which holds the number of the process.
//
// The lock is the system's (flock) and ends with the process, however it ends; a file that is left over means nothing. It
// is not on PATH itself, which is replaced by renaming.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

namespace sluice::io {

class LockFile {
  public:
    /// Tries to lock. Where the file cannot be created, or the file system has no locks, nothing is locked.
    explicit LockFile(const std::string& path);
    /// Removes the file and ends the lock.
    ~LockFile();
    LockFile(const LockFile&) = delete;
    LockFile& operator=(const LockFile&) = delete;
    LockFile(LockFile&&) = delete;
    LockFile& operator=(LockFile&&) = delete;

    /// The process that has the lock; 0 where its number is not known. Nothing where no other process has it.
    [[nodiscard]] std::optional<pid_t> holder() const noexcept { return holder_; }

  private:
    bool lock();
    void note_process() const;
    void find_holder();

    std::string path_;
    int file_ = -1;
    std::optional<pid_t> holder_;
};

}  // namespace sluice::io
