#include "output_search.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <optional>

#include "text_mark.hpp"

namespace sluice::io {

namespace {

constexpr int kOldest = 9;

std::string numbered(const std::string& path, int number) {
    return number == 0 ? path : fmt::format("{}.{}", path, number);
}

struct Found {
    std::uint64_t size = 0;
    FileId id;
};

// Only regular files.
std::optional<Found> look_at(const std::string& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) {
        return std::nullopt;
    }
    return Found{.size = static_cast<std::uint64_t>(status.st_size),
                 .id = {.device = status.st_dev, .inode = status.st_ino}};
}

bool matches(const std::string& path, const OutputMark& mark, int number) {
    const std::optional<Found> found = look_at(path);
    if (!found || found->size < mark.length) {
        return false;
    }
    if (mark.tail_bytes > 0) {
        const std::string tail = bytes_before(path, mark.length, mark.tail_bytes);
        return tail.size() == mark.tail_bytes && hash_of(tail) == mark.tail_hash;
    }
    return mark.id != FileId{} ? found->id == mark.id : number == 0;  // a checkpoint of an earlier version has neither
}

void cut(Disk& disk, const std::string& path, std::uint64_t length) {
    const int file = disk.open(path, O_WRONLY);
    if (file < 0) {
        throw DiskError("cut back", path, errno);
    }
    const bool done = disk.truncate(file, static_cast<off_t>(length)) == 0 && disk.sync(file) == 0;
    const int reason = errno;
    disk.close(file);
    if (!done) {
        throw DiskError("cut back", path, reason);
    }
}

}  // namespace

FoundOutput find_output(Disk& disk, const std::string& path, const OutputMark& mark) {
    for (int number = 0; number <= kOldest; ++number) {
        if (!matches(numbered(path, number), mark, number)) {
            continue;
        }
        if (number == 0) {
            return FoundOutput::present;
        }
        for (int younger = 0; younger <= number; ++younger) {  // the oldest last: until then all can be repeated
            const std::uint64_t length = younger == number ? mark.length : 0;
            if (const auto found = look_at(numbered(path, younger)); found && found->size > length) {
                cut(disk, numbered(path, younger), length);
            }
        }
        return FoundOutput::renamed;
    }
    return FoundOutput::none;
}

std::string bytes_before(const std::string& path, std::uint64_t end, std::uint64_t most) {
    std::string bytes(std::min(end, most), '\0');
    std::ifstream file(path, std::ios::binary);
    file.seekg(static_cast<std::streamoff>(end - bytes.size()));
    file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    bytes.resize(static_cast<std::size_t>(file.gcount()));
    return bytes;
}

}  // namespace sluice::io
