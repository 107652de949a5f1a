// hard_disks.hpp -- disks on which things go wrong: one call fails, or the power goes.
#pragma once

#include <cerrno>
#include <cstddef>
#include <map>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "disk.hpp"

namespace sluice::test {

/// The real disk, but for one call, counted from 1: it fails with `reason`, or, if that is 0, writes only a part.
class FailingDisk final : public io::Disk {
  public:
    FailingDisk(std::size_t failing, int reason) : failing_(failing), reason_(reason) {}

    [[nodiscard]] std::size_t calls() const noexcept { return calls_; }
    [[nodiscard]] const std::string& failed_call() const noexcept { return failed_call_; }

    int open(const std::string& path, int flags) override {
        return fails("open " + path) ? -1 : Disk::open(path, flags);
    }
    ssize_t write(int file, std::span<const std::byte> bytes) override {
        if (fails("write")) {
            return reason_ == 0 ? Disk::write(file, bytes.first((bytes.size() + 1) / 2)) : -1;
        }
        return Disk::write(file, bytes);
    }
    int sync(int file) override { return fails("sync") ? -1 : Disk::sync(file); }
    int truncate(int file, off_t length) override { return fails("truncate") ? -1 : Disk::truncate(file, length); }
    int close(int file) override {
        const int done = Disk::close(file);
        return fails("close") ? -1 : done;
    }
    int rename(const std::string& from, const std::string& to) override {
        return fails("rename " + from) ? -1 : Disk::rename(from, to);
    }
    int link(const std::string& from, const std::string& to) override {
        return fails("link " + from) ? -1 : Disk::link(from, to);
    }
    int unlink(const std::string& path) override { return fails("unlink " + path) ? -1 : Disk::unlink(path); }
    int sync_folder(const std::string& path) override {
        return fails("sync_folder " + path) ? -1 : Disk::sync_folder(path);
    }

  private:
    // A short write is no failure of any other call.
    bool fails(const std::string& call) {
        if (++calls_ != failing_ || (reason_ == 0 && call != "write")) {
            return false;
        }
        failed_call_ = call;
        errno = reason_;
        return true;
    }

    std::size_t failing_;
    int reason_;
    std::size_t calls_ = 0;
    std::string failed_call_;
};

struct PowerLoss : std::runtime_error {
    PowerLoss() : std::runtime_error("power loss") {}
};

/// Files in memory. What was written and not synced may be there after a power loss, or not, or in part, each write by
/// itself; names made, moved and removed since the folder was synced are there up to some point.
class FragileDisk final : public io::Disk {
  public:
    explicit FragileDisk(std::size_t calls_until_power_loss) : calls_left_(calls_until_power_loss) {}

    [[nodiscard]] std::size_t calls() const noexcept { return calls_; }

    int open(const std::string& path, int flags) override;
    ssize_t write(int file, std::span<const std::byte> bytes) override;
    ssize_t read_at(int file, std::span<std::byte> room, off_t position) override;
    int sync(int file) override;
    int truncate(int file, off_t length) override;
    off_t size(int file) override;
    About about(int file) override;
    int close(int file) override;
    int rename(const std::string& from, const std::string& to) override;
    int link(const std::string& from, const std::string& to) override;
    int unlink(const std::string& path) override;
    int sync_folder(const std::string& path) override;

    /// The files as they are found once the power is back.
    [[nodiscard]] std::map<std::string, std::string> after_power_loss(std::mt19937_64& random) const;

  private:
    using Names = std::map<std::string, std::size_t>;
    struct Write {
        std::size_t at;
        std::string bytes;
    };
    struct Inode {
        std::string durable;
        std::string now;
        std::vector<Write> unsynced;
    };
    void count();
    void remember_names() { unsynced_names_.push_back(names_); }

    std::size_t calls_left_;
    std::size_t calls_ = 0;
    Names names_;
    Names durable_names_;
    std::vector<Names> unsynced_names_;  // after each change since the folder was synced
    std::vector<Inode> inodes_;
    std::vector<std::pair<std::size_t, std::size_t>> open_;  // inode and offset of each descriptor
};

}  // namespace sluice::test
