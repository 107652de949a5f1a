#include "output_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <span>
#include <utility>

#include "output_search.hpp"
#include "text_mark.hpp"

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
    const Disk::About about = disk_.about(file_);
    regular_ = about.regular;
    id_ = about.id;
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
    const Disk::About about = disk_.about(file_);
    regular_ = about.regular;
    id_ = about.id;
    if (!regular_) {
        return;
    }
    const off_t size = disk_.size(file_);
    const bool shorter = size >= 0 && static_cast<std::uint64_t>(size) < length;
    if (size < 0 || shorter || disk_.truncate(file_, static_cast<off_t>(length)) != 0 || disk_.size(file_) < 0) {
        const int reason = errno;
        disk_.close(file_);
        throw shorter ? DiskError("continue at byte " + std::to_string(length) +
                                      ", where the checkpoint ends, because the file has only " + std::to_string(size),
                                  path_, ENODATA)
                      : DiskError("continue", path_, reason);
    }
    tail_ = bytes_before(path_, length, kTail);
}

OutputFile::~OutputFile() {
    if (file_ >= 0 && file_ != STDOUT_FILENO) {
        disk_.close(file_);
    }
}

void OutputFile::begin(const std::string& header) {
    text_ += header;
    no_record_ = length();
}

void OutputFile::flush_if_large() {
    if (text_.size() >= kWorthWriting) {
        flush();
    }
}

void OutputFile::flush() {
    const std::size_t done = write_most(disk_, file_, std::as_bytes(std::span(text_)));
    const int reason = errno;
    const bool all = done == text_.size();
    note_written(done);
    if (!all) {
        throw DiskError("write", path_, reason);
    }
}

void OutputFile::note_written(std::size_t bytes) {
    if (regular_) {
        tail_.append(text_, bytes - std::min(bytes, kTail), std::min(bytes, kTail));
        if (tail_.size() > kTail) {
            tail_.erase(0, tail_.size() - kTail);
        }
    }
    written_ += bytes;
    text_.erase(0, bytes);
}

void OutputFile::sync() {
    flush();
    sync_written();
}

void OutputFile::sync_written() {
    if (!regular_) {
        return;
    }
    try {
        sync_file();
    } catch (const DiskError&) {
        sync_failed_ = true;
        throw;
    }
}

// A sync that failed is not repeated: the kernel may have dropped what was written.
void OutputFile::sync_file() {
    if (sync_failed_) {
        throw DiskError("sync", path_, EIO);
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

bool OutputFile::reopen() {
    if (!regular_) {
        return false;
    }
    sync();
    const int file = disk_.open(path_, O_WRONLY | O_CREAT);
    if (file < 0) {
        throw DiskError("reopen", path_, errno);
    }
    const Disk::About about = disk_.about(file);
    const off_t size = about.regular ? disk_.size(file) : off_t{0};
    if (size < 0) {
        const int reason = errno;
        disk_.close(file);
        throw DiskError("reopen", path_, reason);
    }
    disk_.close(file_);
    file_ = file;
    if (about.id == id_ && static_cast<std::uint64_t>(size) == written_) {
        return false;  // the same file, to which nothing has happened
    }
    regular_ = about.regular;
    id_ = about.id;
    written_ = no_record_ = opened_at_ = static_cast<std::uint64_t>(size);
    tail_.clear();
    by_identity_ = true;
    entry_synced_ = false;
    return size == 0;
}

OutputMark OutputFile::mark() const {
    if (!has_record()) {
        return {.length = opened_at_, .id = by_identity_ ? id_ : FileId{}};
    }
    return {.length = written_, .tail_bytes = tail_.size(), .tail_hash = tail_.empty() ? 0 : hash_of(tail_)};
}

}  // namespace sluice::io
