// disk.hpp -- the system calls with which files are written, in one place, so that tests can make each of them fail or
// lose power between any two.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>

namespace sluice::io {

/// Which file it is, whatever it is called.
struct FileId {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    friend bool operator==(const FileId&, const FileId&) = default;
};

/// A file that cannot be opened, read or written. what() names the file, the attempt and the system's reason.
class DiskError : public std::runtime_error {
  public:
    DiskError(const std::string& what, const std::string& path, int reason);

  protected:
    using std::runtime_error::runtime_error;
};

/// As the system calls of the same names: a negative result means that errno has the reason.
class Disk {
  public:
    Disk() = default;
    virtual ~Disk() = default;
    Disk(const Disk&) = delete;
    Disk& operator=(const Disk&) = delete;
    Disk(Disk&&) = delete;
    Disk& operator=(Disk&&) = delete;

    [[nodiscard]] virtual int open(const std::string& path, int flags);
    [[nodiscard]] virtual ssize_t write(int file, std::span<const std::byte> bytes);
    [[nodiscard]] virtual ssize_t read_at(int file, std::span<std::byte> room, off_t position);  ///< pread
    [[nodiscard]] virtual int sync(int file);
    [[nodiscard]] virtual int truncate(int file, off_t length);
    [[nodiscard]] virtual off_t size(int file);  ///< moves to the end of the file
    struct About {
        bool regular = false;  ///< no pipe, device or socket
        FileId id;
    };
    [[nodiscard]] virtual About about(int file);
    virtual int close(int file);
    [[nodiscard]] virtual int rename(const std::string& from, const std::string& to);
    [[nodiscard]] virtual int link(const std::string& from, const std::string& to);
    [[nodiscard]] virtual int unlink(const std::string& path);
    [[nodiscard]] virtual int sync_folder(const std::string& path);  ///< of the folder that holds `path`
};

[[nodiscard]] Disk& real_disk();

/// Writes the bytes, in several calls where the system takes only a part. Returns how many were written: fewer than all
/// where it fails; errno has the reason.
[[nodiscard]] std::size_t write_most(Disk& disk, int file, std::span<const std::byte> bytes);

/// Writes all bytes, in several calls where the system takes only a part. False where it fails; errno has the reason.
[[nodiscard]] bool write_all(Disk& disk, int file, std::span<const std::byte> bytes);

}  // namespace sluice::io
