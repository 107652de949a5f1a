#include "durable.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace sluice::io {

namespace {

// Retried where a signal came between, which is no failure.
template <typename Call>
auto without_interruption(Call call) {
    auto done = call();
    while (done < 0 && errno == EINTR) {
        done = call();
    }
    return done;
}

void write_beside(Disk& disk, const std::string& path, std::span<const std::byte> content) {
    (void)disk.unlink(path);  // left by a crash, perhaps; always a new file
    const int file = without_interruption([&] { return disk.open(path, O_WRONLY | O_CREAT | O_EXCL); });
    if (file < 0) {
        throw DiskError("create", path, errno);
    }
    const char* tried = "write";
    bool kept = write_all(disk, file, content);
    if (kept) {
        tried = "sync";
        kept = disk.sync(file) == 0;
    }
    int reason = errno;
    if (disk.close(file) != 0 && kept) {
        tried = "close";
        reason = errno;
        kept = false;
    }
    if (!kept) {
        (void)disk.unlink(path);
        throw DiskError(tried, path, reason);
    }
}

// Another name for what the path holds now. Where the file system has no such names, or there is nothing yet, none.
void keep_previous(Disk& disk, const std::string& path) {
    const std::string waiting = path + ".previous.new";
    (void)disk.unlink(waiting);
    if (disk.link(path, waiting) == 0) {
        (void)disk.rename(waiting, path + ".previous");
        (void)disk.unlink(waiting);  // still there where both are names of one file already: then rename does nothing
    }
}

}  // namespace

void replace_durably(Disk& disk, const std::string& path, std::span<const std::byte> content) {
    const std::string beside = path + ".new";
    write_beside(disk, beside, content);
    keep_previous(disk, path);
    if (disk.rename(beside, path) != 0) {
        const int reason = errno;
        (void)disk.unlink(beside);
        throw DiskError("replace", path, reason);
    }
    if (without_interruption([&] { return disk.sync_folder(path); }) != 0) {
        throw DiskError("sync the folder of", path, errno);
    }
}

std::vector<std::byte> read_whole(const std::string& path) {
    const int file =
        without_interruption([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC); });  // NOLINT(*-vararg)
    if (file < 0) {
        throw DiskError("open", path, errno);
    }
    struct stat about {};
    if (::fstat(file, &about) != 0 || !S_ISREG(about.st_mode)) {
        const int reason = S_ISDIR(about.st_mode) ? EISDIR : errno;
        ::close(file);
        throw DiskError("read", path, reason);
    }
    std::vector<std::byte> content(static_cast<std::size_t>(about.st_size));
    std::size_t filled = 0;
    while (filled < content.size()) {
        const ssize_t got =
            without_interruption([&] { return ::read(file, content.data() + filled, content.size() - filled); });
        if (got <= 0) {
            const int reason = got < 0 ? errno : EIO;
            ::close(file);
            throw DiskError("read", path, reason);
        }
        filled += static_cast<std::size_t>(got);
    }
    ::close(file);
    return content;
}

}  // namespace sluice::io
