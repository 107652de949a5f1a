#include "batch_log.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "durable.hpp"
#include "sluice/error.hpp"
#include "text_mark.hpp"

namespace sluice::serve {

namespace {

constexpr std::uint32_t kRecordMark = 0x424C5331;  // "1SLB"
constexpr std::string_view kLogPrefix = "log-";

// As it is in the file: no padding.
struct RecordHead {
    std::uint32_t mark = kRecordMark;
    std::uint32_t bytes = 0;  // after the head
    std::uint64_t number = 0;
    std::uint64_t checksum = 0;
};
struct RecordStart {
    std::uint64_t seq = 0;
    std::uint8_t format = 0;
    std::array<std::uint8_t, 7> zeros = {};
};
static_assert(sizeof(RecordHead) == 24 && sizeof(RecordStart) == 16);

// The number belongs to what is checked, so that a record at a wrong place is not taken.
std::uint64_t record_checksum(std::uint64_t number, std::string_view content) {
    const std::array<std::uint64_t, 2> both = {io::hash_of(content), number};
    return io::hash_of({reinterpret_cast<const char*>(both.data()), sizeof(both)});
}

struct LogFile {
    std::uint64_t first = 0;
    std::string path;
};

std::vector<LogFile> log_files(const std::string& folder) {
    std::vector<LogFile> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        const std::string name = entry.path().filename().string();
        std::uint64_t first = 0;
        if (name.starts_with(kLogPrefix)) {
            const char* end = name.data() + name.size();
            const auto [stop, problem] = std::from_chars(name.data() + kLogPrefix.size(), end, first);
            if (problem == std::errc() && stop == end) {
                files.push_back({.first = first, .path = entry.path().string()});
            }
        }
    }
    std::ranges::sort(files, {}, &LogFile::first);
    return files;
}

// The record at the beginning of `rest`; nothing where there is none that is whole.
struct FoundRecord {
    std::uint64_t number = 0;
    std::size_t bytes = 0;
    Batch batch;
};
std::optional<FoundRecord> record_at(std::string_view rest) {
    RecordHead head;
    if (rest.size() < sizeof(head)) {
        return std::nullopt;
    }
    std::memcpy(&head, rest.data(), sizeof(head));
    rest.remove_prefix(sizeof(head));
    if (head.mark != kRecordMark || head.bytes < sizeof(RecordStart) || head.bytes > rest.size()) {
        return std::nullopt;
    }
    const std::string_view content = rest.substr(0, head.bytes);
    if (record_checksum(head.number, content) != head.checksum) {
        return std::nullopt;
    }
    RecordStart start;
    std::memcpy(&start, content.data(), sizeof(start));
    if (start.format > static_cast<std::uint8_t>(RowFormat::ndjson)) {
        return std::nullopt;
    }
    return FoundRecord{.number = head.number,
                       .bytes = sizeof(head) + head.bytes,
                       .batch = {.seq = start.seq,
                                 .format = static_cast<RowFormat>(start.format),
                                 .text = std::string(content.substr(sizeof(start)))}};
}

}  // namespace

BatchLog::BatchLog(io::Disk& disk, std::string folder) : disk_(disk), folder_(std::move(folder)) {}

BatchLog::~BatchLog() {
    close();
}

void BatchLog::close() {
    if (file_ >= 0) {
        (void)disk_.close(file_);
        file_ = -1;
    }
}

void BatchLog::begin(std::uint64_t first) {
    close();
    pending_.clear();
    bytes_ = 0;
    path_ = fmt::format("{}/{}{:020}", folder_, kLogPrefix, first);
    (void)disk_.unlink(path_);  // nothing in it was acknowledged: a checkpoint has all batches before `first`
    const int file = disk_.open(path_, O_WRONLY | O_CREAT | O_EXCL);
    if (file < 0) {
        throw io::DiskError("create", path_, errno);
    }
    if (disk_.sync_folder(path_) != 0) {
        const int reason = errno;
        (void)disk_.close(file);
        throw io::DiskError("sync the folder of", path_, reason);
    }
    file_ = file;
    std::error_code ignored;
    if (std::filesystem::is_directory(folder_, ignored)) {
        for (const LogFile& old : log_files(folder_)) {
            if (old.path != path_) {
                (void)disk_.unlink(old.path);  // one that stays is skipped by its numbers
            }
        }
    }
}

void BatchLog::add(std::uint64_t number, const Batch& batch) {
    const RecordStart start{.seq = batch.seq, .format = static_cast<std::uint8_t>(batch.format)};
    std::string content(reinterpret_cast<const char*>(&start), sizeof(start));
    content += batch.text;
    const RecordHead head{.bytes = static_cast<std::uint32_t>(content.size()),
                          .number = number,
                          .checksum = record_checksum(number, content)};
    last_added_ = pending_.size();
    pending_.reserve(pending_.size() + sizeof(head) + content.size());
    pending_.append(reinterpret_cast<const char*>(&head), sizeof(head));
    pending_ += content;
}

void BatchLog::commit() {
    const auto fail = [this](const char* tried) {
        const int reason = errno;
        close();
        pending_.clear();
        throw io::DiskError(tried, path_, reason);
    };
    if (file_ < 0) {
        errno = EBADF;
        fail("write");
    }
    if (!io::write_all(disk_, file_, std::as_bytes(std::span(pending_)))) {
        fail("write");
    }
    if (disk_.sync(file_) != 0) {
        fail("sync");
    }
    bytes_ += pending_.size();
    pending_.clear();
}

bool BatchLog::exists(const std::string& folder) {
    return !log_files(folder).empty();
}

std::uint64_t BatchLog::replay(const std::string& folder, std::uint64_t after,
                               const std::function<void(std::uint64_t number, Batch&& batch)>& use) {
    const std::vector<LogFile> files = log_files(folder);
    std::uint64_t last = after;
    for (std::size_t i = 0; i < files.size(); ++i) {
        const std::vector<std::byte> bytes = io::read_whole(files[i].path);
        std::string_view rest(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        const std::uint64_t end = i + 1 < files.size() ? files[i + 1].first : ~std::uint64_t{0};
        std::uint64_t expected = files[i].first;
        while (auto record = record_at(rest)) {
            if (record->number != expected || record->number >= end) {
                break;
            }
            ++expected;
            rest.remove_prefix(record->bytes);
            if (record->number <= last) {
                continue;  // the checkpoint has it
            }
            if (record->number != last + 1) {
                throw StateError(
                    fmt::format("{}: batch {} is missing before batch {}", folder, last + 1, record->number));
            }
            use(record->number, std::move(record->batch));
            ++last;
        }
    }
    if (!files.empty() && files.back().first > last + 1) {
        throw StateError(fmt::format("{}: batches {} to {} are missing", folder, last + 1, files.back().first - 1));
    }
    return last;
}

}  // namespace sluice::serve
