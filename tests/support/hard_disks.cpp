#include "support/hard_disks.hpp"

#include <fcntl.h>

#include <algorithm>

namespace sluice::test {

void FragileDisk::count() {
    ++calls_;
    if (calls_left_ == 0) {
        throw PowerLoss();
    }
    --calls_left_;
}

int FragileDisk::open(const std::string& path, int flags) {
    count();
    auto at = names_.find(path);
    if (at != names_.end() && (flags & O_EXCL) != 0) {
        errno = EEXIST;
        return -1;
    }
    if (at == names_.end()) {
        if ((flags & O_CREAT) == 0) {
            errno = ENOENT;
            return -1;
        }
        inodes_.emplace_back();
        at = names_.emplace(path, inodes_.size() - 1).first;
        remember_names();
    } else if ((flags & O_TRUNC) != 0) {
        inodes_[at->second] = {};
    }
    open_.emplace_back(at->second, 0);
    return static_cast<int>(open_.size()) - 1 + 1000;
}

ssize_t FragileDisk::write(int file, std::span<const std::byte> bytes) {
    count();
    auto& [inode, offset] = open_.at(static_cast<std::size_t>(file - 1000));
    const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    Inode& target = inodes_[inode];
    target.now.resize(std::max(target.now.size(), offset + text.size()));
    target.now.replace(offset, text.size(), text);
    target.unsynced.push_back({offset, text});
    offset += text.size();
    return static_cast<ssize_t>(text.size());
}

ssize_t FragileDisk::read_at(int file, std::span<std::byte> room, off_t position) {
    const Inode& from = inodes_[open_.at(static_cast<std::size_t>(file - 1000)).first];
    const auto at = static_cast<std::size_t>(position);
    const std::size_t count = at < from.now.size() ? std::min(room.size(), from.now.size() - at) : 0;
    std::copy_n(reinterpret_cast<const std::byte*>(from.now.data()) + at, count, room.data());
    return static_cast<ssize_t>(count);
}

int FragileDisk::sync(int file) {
    count();
    Inode& target = inodes_[open_.at(static_cast<std::size_t>(file - 1000)).first];
    target.durable = target.now;
    target.unsynced.clear();
    return 0;
}

int FragileDisk::truncate(int file, off_t length) {
    count();
    Inode& target = inodes_[open_.at(static_cast<std::size_t>(file - 1000)).first];
    target.now.resize(static_cast<std::size_t>(length));
    return 0;
}

off_t FragileDisk::size(int file) {
    auto& [inode, offset] = open_.at(static_cast<std::size_t>(file - 1000));
    offset = inodes_[inode].now.size();
    return static_cast<off_t>(offset);
}

io::Disk::About FragileDisk::about(int file) {
    return {.regular = true, .id = {.device = 1, .inode = open_.at(static_cast<std::size_t>(file - 1000)).first}};
}

int FragileDisk::close(int /*file*/) {
    return 0;
}

int FragileDisk::rename(const std::string& from, const std::string& to) {
    count();
    const auto at = names_.find(from);
    if (at == names_.end()) {
        errno = ENOENT;
        return -1;
    }
    names_[to] = at->second;
    names_.erase(from);
    remember_names();
    return 0;
}

int FragileDisk::link(const std::string& from, const std::string& to) {
    count();
    if (!names_.contains(from) || names_.contains(to)) {
        errno = names_.contains(to) ? EEXIST : ENOENT;
        return -1;
    }
    names_[to] = names_[from];
    remember_names();
    return 0;
}

int FragileDisk::unlink(const std::string& path) {
    count();
    if (names_.erase(path) == 0) {
        errno = ENOENT;
        return -1;
    }
    remember_names();
    return 0;
}

int FragileDisk::sync_folder(const std::string& /*path*/) {
    count();
    durable_names_ = names_;
    unsynced_names_.clear();
    return 0;
}

std::map<std::string, std::string> FragileDisk::after_power_loss(std::mt19937_64& random) const {
    const std::size_t reached = random() % (unsynced_names_.size() + 1);
    const Names& names = reached == 0 ? durable_names_ : unsynced_names_[reached - 1];
    std::map<std::string, std::string> files;
    for (const auto& [name, inode] : names) {
        std::string bytes = inodes_[inode].durable;
        for (const Write& write : inodes_[inode].unsynced) {
            const std::size_t fate = random() % 3;  // dropped, torn, kept
            const std::size_t length = fate == 0   ? 0
                                       : fate == 1 ? random() % (write.bytes.size() + 1)
                                                   : write.bytes.size();
            if (length > 0) {
                bytes.resize(std::max(bytes.size(), write.at + length));  // holes read as zeros
                bytes.replace(write.at, length, write.bytes.substr(0, length));
            }
        }
        files.emplace(name, bytes);
    }
    return files;
}

}  // namespace sluice::test
