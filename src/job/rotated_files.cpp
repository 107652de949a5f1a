#include "rotated_files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace sluice::job {

namespace {

constexpr int kOldest = 9;

}  // namespace

OpenFile::~OpenFile() {
    if (descriptor_ >= 0) {
        ::close(descriptor_);
    }
}

int OpenFile::release() noexcept {
    return std::exchange(descriptor_, -1);
}

std::vector<OpenFile> rotated_files(const std::string& path) {
    std::vector<OpenFile> files;
    for (int number = 0; number <= kOldest; ++number) {
        const std::string name = number == 0 ? path : fmt::format("{}.{}", path, number);
        int file = -1;
        do {
            // Without waiting for the other end of a pipe.
            file = ::open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // NOLINT(*-vararg)
        } while (file < 0 && errno == EINTR);
        struct stat status {};
        if (file < 0) {
            continue;
        }
        OpenFile opened(file, {});
        if (::fstat(file, &status) == 0 && S_ISREG(status.st_mode)) {
            files.emplace_back(opened.release(), io::FileId{.device = status.st_dev, .inode = status.st_ino});
        }
    }
    return files;
}

int younger_than(const std::string& path, io::FileId id) {
    std::vector<OpenFile> files = rotated_files(path);
    std::size_t next = 0;
    for (std::size_t at = 1; at < files.size(); ++at) {
        if (files[at].id() == id) {
            next = at;
            while (next > 0 && files[next].id() == id) {
                --next;
            }
            break;
        }
    }
    return files.empty() ? -1 : files[next].release();
}

int file_with(const std::string& path, io::FileId id) {
    for (OpenFile& file : rotated_files(path)) {
        if (file.id() == id) {
            return file.release();
        }
    }
    return -1;
}

}  // namespace sluice::job
