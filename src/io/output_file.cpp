#include "output_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <span>
#include <utility>

namespace sluice::io {

namespace {

constexpr std::size_t kWorthWriting = std::size_t{64} << 10U;

}  // namespace

OutputFile::OutputFile(Disk& disk, std::string path) : disk_(disk), path_(std::move(path)) {
    if (path_ == "-") {
        path_ = "standard output";
        file_ = STDOUT_FILENO;
        return;
    }
    file_ = disk_.open(path_, O_WRONLY | O_CREAT | O_TRUNC);
    if (file_ < 0) {
        throw DiskError("create", path_, errno);
    }
    regular_ = disk_.size(file_) >= 0;  // a pipe has no size
}

OutputFile::OutputFile(Disk& disk, std::string path, std::uint64_t length)
    : disk_(disk), path_(std::move(path)), written_(length) {
    if (path_ == "-") {
        path_ = "standard output";
        file_ = STDOUT_FILENO;
        return;
    }
    file_ = disk_.open(path_, O_WRONLY);
    if (file_ < 0) {
        throw DiskError("continue", path_, errno);
    }
    const off_t size = disk_.size(file_);
    regular_ = size >= 0;
    if (regular_ && (static_cast<std::uint64_t>(size) < length ||
                     disk_.truncate(file_, static_cast<off_t>(length)) != 0 || disk_.size(file_) < 0)) {
        const bool shorter = static_cast<std::uint64_t>(size) < length;
        const int reason = errno;
        disk_.close(file_);
        throw shorter ? DiskError("continue at byte " + std::to_string(length) +
                                      ", where the checkpoint ends, because the file has only " + std::to_string(size),
                                  path_, ENODATA)
                      : DiskError("continue", path_, reason);
    }
}

OutputFile::~OutputFile() {
    if (file_ >= 0 && file_ != STDOUT_FILENO) {
        disk_.close(file_);
    }
}

void OutputFile::flush_if_large() {
    if (text_.size() >= kWorthWriting) {
        flush();
    }
}

void OutputFile::flush() {
    if (!write_all(disk_, file_, std::as_bytes(std::span(text_)))) {
        throw DiskError("write", path_, errno);
    }
    written_ += text_.size();
    text_.clear();
}

void OutputFile::sync() {
    flush();
    if (!regular_) {
        return;
    }
    if (disk_.sync(file_) != 0) {
        throw DiskError("sync", path_, errno);
    }
    if (!entry_synced_) {
        if (disk_.sync_folder(path_) != 0) {
            throw DiskError("sync the folder of", path_, errno);
        }
        entry_synced_ = true;
    }
}

}  // namespace sluice::io
