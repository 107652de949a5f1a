#include "disk.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

namespace sluice::io {

namespace {

constexpr mode_t kMode = 0644;

}  // namespace

DiskError::DiskError(const std::string& what, const std::string& path, int reason)
    : std::runtime_error(path + ": cannot " + what + ": " + std::generic_category().message(reason)) {}

int Disk::open(const std::string& path, int flags) {
    return ::open(path.c_str(), flags | O_CLOEXEC, kMode);  // NOLINT(cppcoreguidelines-pro-type-vararg)
}

ssize_t Disk::write(int file, std::span<const std::byte> bytes) {
    return ::write(file, bytes.data(), bytes.size());
}

ssize_t Disk::read_at(int file, std::span<std::byte> room, off_t position) {
    return ::pread(file, room.data(), room.size(), position);
}

int Disk::sync(int file) {
    return ::fsync(file);
}

int Disk::truncate(int file, off_t length) {
    return ::ftruncate(file, length);
}

off_t Disk::size(int file) {
    return ::lseek(file, 0, SEEK_END);
}

Disk::About Disk::about(int file) {
    struct stat status {};
    if (::fstat(file, &status) != 0) {
        return {};
    }
    return {.regular = S_ISREG(status.st_mode), .id = {.device = status.st_dev, .inode = status.st_ino}};
}

int Disk::close(int file) {
    return ::close(file);
}

int Disk::rename(const std::string& from, const std::string& to) {
    return std::rename(from.c_str(), to.c_str());
}

int Disk::link(const std::string& from, const std::string& to) {
    return ::link(from.c_str(), to.c_str());
}

int Disk::unlink(const std::string& path) {
    return ::unlink(path.c_str());
}

int Disk::sync_folder(const std::string& path) {
    const auto folder = std::filesystem::path(path).parent_path();
    const int file = Disk::open(folder.empty() ? "." : folder.string(), O_RDONLY | O_DIRECTORY);
    if (file < 0) {
        return -1;
    }
    const int done = ::fsync(file);
    const int reason = errno;
    ::close(file);
    if (done != 0 && reason == EINVAL) {
        return 0;  // a file system that cannot sync folders
    }
    errno = reason;
    return done;
}

Disk& real_disk() {
    static Disk disk;
    return disk;
}

std::size_t write_most(Disk& disk, int file, std::span<const std::byte> bytes) {
    std::size_t written = 0;
    while (written < bytes.size()) {
        const ssize_t done = disk.write(file, bytes.subspan(written));
        if (done < 0) {
            if (errno == EINTR) {
                continue;
            }
            return written;
        }
        written += static_cast<std::size_t>(done);
    }
    return written;
}

bool write_all(Disk& disk, int file, std::span<const std::byte> bytes) {
    return write_most(disk, file, bytes) == bytes.size();
}

}  // namespace sluice::io
