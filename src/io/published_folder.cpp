#include "published_folder.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "replaceable.hpp"

namespace sluice::io {

namespace fs = std::filesystem;

namespace {

// From the root, without "..", and without a slash at the end.
fs::path full(const fs::path& path) {
    const fs::path whole = fs::absolute(path).lexically_normal();
    return whole.has_filename() ? whole : whole.parent_path();
}

}  // namespace

PublishedFolder::PublishedFolder(Disk& disk, const std::string& path) : disk_(disk), path_(path) {
    std::error_code trouble;
    for (fs::path at = full(path_); !fs::exists(at, trouble) && at.has_relative_path(); at = at.parent_path()) {
        topmost_created_ = at;
    }
    fs::create_directories(path_, trouble);
    if (trouble) {
        throw DiskError("create the folder", path, trouble.value());
    }
    std::string pattern = (path_ / ".sluice-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) {
        throw DiskError("write into the folder", path, errno);
    }
    hidden_ = pattern;
}

PublishedFolder::~PublishedFolder() {
    std::error_code ignored;
    fs::remove_all(hidden_, ignored);
    if (topmost_created_.empty()) {
        return;
    }
    // Upwards, as long as they are empty.
    for (fs::path at = full(path_); fs::remove(at, ignored) && at != topmost_created_; at = at.parent_path()) {
    }
}

void PublishedFolder::add(const std::string& name, std::string_view content) {
    const std::string path = (hidden_ / name).string();
    const int file = disk_.open(path, O_WRONLY | O_CREAT | O_EXCL);
    if (file < 0) {
        throw DiskError("create", path, errno);
    }
    const bool written = write_all(disk_, file, std::as_bytes(std::span(content))) && disk_.sync(file) == 0;
    const int reason = errno;
    if (disk_.close(file) != 0 || !written) {
        throw DiskError("write", (path_ / name).string(), written ? errno : reason);
    }
    names_.push_back(name);
}

void PublishedFolder::publish() {
    for (const std::string& name : names_) {
        const std::string to = replaceable_path((path_ / name).string());
        if (disk_.rename((hidden_ / name).string(), to) != 0) {
            throw DiskError("replace", to, errno);
        }
    }
    names_.clear();
    (void)disk_.sync_folder((path_ / ".").string());
}

}  // namespace sluice::io
