#include "durable.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "replaceable.hpp"

namespace sluice::io {

namespace {

// Repeats a call that a signal interrupted, which is not a failure.
template <typename Call>
auto without_interruption(Call call) {
    auto done = call();
    while (done < 0 && errno == EINTR) {
        done = call();
    }
    return done;
}

void write_new_file(Disk& disk, const std::string& path, std::span<const std::byte> content) {
    (void)disk.unlink(path);  // a crash may have left one: always start with a new file
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

// Gives the present content a second name. Does nothing where the file system has no links or there is no file yet.
void keep_previous(Disk& disk, const std::string& path) {
    const std::string link_path = path + ".previous.new";
    (void)disk.unlink(link_path);
    if (disk.link(path, link_path) == 0) {
        (void)disk.rename(link_path, path + ".previous");
        (void)disk.unlink(link_path);  // rename does nothing where both are names of one file already
    }
}

void replace_file(Disk& disk, const std::string& path, std::span<const std::byte> content) {
    const std::string new_path = path + ".new";
    write_new_file(disk, new_path, content);
    keep_previous(disk, path);
    if (disk.rename(new_path, path) != 0) {
        const int reason = errno;
        (void)disk.unlink(new_path);
        throw DiskError("replace", path, reason);
    }
    if (without_interruption([&] { return disk.sync_folder(path); }) != 0) {
        throw DiskError("sync the folder of", path, errno);
    }
}

}  // namespace

void replace_durably(Disk& disk, const std::string& path, std::span<const std::byte> content) {
    replace_file(disk, replaceable_path(path), content);
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
