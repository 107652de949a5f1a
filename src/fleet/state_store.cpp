#include "state_store.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <string_view>

#include "durable.hpp"

namespace sluice::fleet {

namespace {

constexpr std::uint64_t kLargest = std::uint64_t{256} << 20U;  // bytes, after which a new file is started
constexpr std::uint64_t kSmall = std::uint64_t{16} << 20U;     // and already after these, where half is not in use
constexpr std::string_view kPrefix = "states-";

}  // namespace

StateStore::StateStore(io::Disk& disk, std::string folder) : disk_(disk), folder_(std::move(folder)) {
    std::error_code problem;
    std::filesystem::create_directories(folder_, problem);
    if (problem) {
        throw io::DiskError("make the folder", folder_, problem.value());
    }
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
        const std::string name = entry.path().filename().string();
        std::uint64_t number = 0;
        if (name.starts_with(kPrefix)) {
            std::from_chars(name.data() + kPrefix.size(), name.data() + name.size(), number);
            last_ = std::max(last_, number);
        }
    }
}

StateStore::~StateStore() {
    for (const auto& [number, file] : files_) {
        disk_.close(file.descriptor);
    }
}

std::string StateStore::path_of(std::uint64_t number) const {
    return fmt::format("{}/{}{:06}", folder_, kPrefix, number);
}

std::optional<std::vector<std::byte>> StateStore::manifest() const {
    const std::string path = folder_ + "/manifest";
    if (!std::filesystem::exists(path)) {
        return std::nullopt;
    }
    return io::read_whole(path);
}

void StateStore::begin(std::span<const StatePlace> in_use) {
    for (const StatePlace& place : in_use) {
        if (place.file == 0) {
            continue;
        }
        File& file = files_[place.file];
        if (file.descriptor < 0) {
            const std::string path = path_of(place.file);
            file.descriptor = disk_.open(path, O_RDONLY | O_CLOEXEC);
            if (file.descriptor < 0) {
                throw io::DiskError("open", path, errno);
            }
            const off_t size = disk_.size(file.descriptor);
            file.size = size < 0 ? 0 : static_cast<std::uint64_t>(size);
        }
        file.used += place.length;
    }
    for (std::uint64_t number = 1; number <= last_; ++number) {  // what was written after the manifest
        if (!files_.contains(number)) {
            (void)disk_.unlink(path_of(number));
        }
    }
}

void StateStore::start_file() {
    const std::string path = path_of(last_ + 1);
    const int descriptor = disk_.open(path, O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC);
    if (descriptor < 0) {
        throw io::DiskError("create", path, errno);
    }
    const std::lock_guard lock(mutex_);
    current_ = ++last_;
    files_[current_].descriptor = descriptor;
}

StatePlace StateStore::put(std::span<const std::byte> state) {
    if (current_ != 0) {
        const File& file = files_.at(current_);
        if (file.size > kLargest || (file.size > kSmall && 2 * file.used < file.size)) {
            current_ = 0;
        }
    }
    if (current_ == 0) {
        start_file();
    }
    File& file = files_.at(current_);
    if (!io::write_all(disk_, file.descriptor, state)) {
        const int reason = errno;
        const std::string path = path_of(current_);
        current_ = 0;  // the end of this file is not known: what follows goes into another one
        throw io::DiskError("write", path, reason);
    }
    const StatePlace place{.file = current_, .offset = file.size, .length = state.size()};
    file.size += state.size();
    file.used += state.size();
    file.synced = false;
    return place;
}

void StateStore::release(const StatePlace& place) {
    if (place.file != 0) {
        files_.at(place.file).used -= place.length;
    }
}

std::vector<std::byte> StateStore::get(const StatePlace& place) const {
    int descriptor = -1;
    {
        const std::lock_guard lock(mutex_);
        descriptor = files_.at(place.file).descriptor;
    }
    std::vector<std::byte> state(place.length);
    std::size_t read = 0;
    while (read < state.size()) {
        const ssize_t got =
            disk_.read_at(descriptor, std::span(state).subspan(read), static_cast<off_t>(place.offset + read));
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            throw io::DiskError("read a state from", path_of(place.file), got < 0 ? errno : EIO);
        }
        read += static_cast<std::size_t>(got);
    }
    return state;
}

bool StateStore::worth_copying(const StatePlace& place) const {
    const auto at = files_.find(place.file);
    return at != files_.end() && place.file != current_ && 2 * at->second.used < at->second.size;
}

bool StateStore::must_be_copied(const StatePlace& place) const {
    const auto at = files_.find(place.file);
    return at != files_.end() && at->second.failed;
}

void StateStore::commit(std::span<const std::byte> manifest) {
    for (auto& [number, file] : files_) {
        if (file.synced || (file.failed && file.used == 0)) {
            continue;
        }
        if (file.failed || disk_.sync(file.descriptor) != 0) {
            const int reason = file.failed ? EIO : errno;
            file.failed = true;
            current_ = current_ == number ? 0 : current_;  // what follows goes into another file
            throw io::DiskError("sync", path_of(number), reason);
        }
        file.synced = true;
    }
    if (current_ != 0 && disk_.sync_folder(path_of(current_)) != 0) {
        throw io::DiskError("sync the folder", folder_, errno);
    }
    io::replace_durably(disk_, folder_ + "/manifest", manifest);
    remove_unused();
}

void StateStore::remove_unused() {
    const std::lock_guard lock(mutex_);
    for (auto at = files_.begin(); at != files_.end();) {
        File& file = at->second;
        const bool unused = at->first != current_ && file.used == 0;
        if (unused && file.old) {
            disk_.close(file.descriptor);
            (void)disk_.unlink(
                path_of(at->first));  // left over where it fails: deleted when the folder is opened again
            at = files_.erase(at);
        } else {
            file.old = unused;
            ++at;
        }
    }
}

std::uint64_t StateStore::bytes() const {
    std::uint64_t sum = 0;
    for (const auto& [number, file] : files_) {
        sum += file.size;
    }
    return sum;
}

}  // namespace sluice::fleet
