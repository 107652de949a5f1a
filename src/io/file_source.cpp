#include "file_source.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace sluice::io {

namespace {

constexpr int kGrowthPause = 100;        // milliseconds between two attempts to read a file that may grow
constexpr std::size_t kCompared = 4096;  // bytes before the present one by which a file that was emptied is recognised

[[noreturn]] void fail(const std::string& name, int error) {
    throw SourceError(fmt::format("{}: {}", name, std::generic_category().message(error)));
}

class FileSource final : public ByteSource {
  public:
    FileSource(const std::string& path, SourceOptions options)
        : options_(std::move(options)), standard_input_(path == "-"), name_(standard_input_ ? "standard input" : path) {
        descriptor_ = standard_input_ ? STDIN_FILENO : options_.descriptor;
        if (descriptor_ < 0 && !open_path() && !options_.follow) {
            fail(name_, ENOENT);
        }
        try {
            if (descriptor_ >= 0) {
                check_type();
            }
        } catch (...) {
            close_descriptor();
            throw;
        }
    }

    ~FileSource() override { close_descriptor(); }
    FileSource(const FileSource&) = delete;
    FileSource& operator=(const FileSource&) = delete;
    FileSource(FileSource&&) = delete;
    FileSource& operator=(FileSource&&) = delete;

    std::size_t read(std::span<char> room) override {
        if (descriptor_ < 0 && !wait_for_file()) {
            return 0;
        }
        if (regular_) {
            return options_.follow ? read_growing(room) : read_and_remember(room);
        }
        for (;;) {
            if (!wait_for_bytes()) {
                return 0;
            }
            if (const auto [there, bytes] = read_now(room); there) {
                return bytes;
            }
        }
    }

    bool complete() const override { return !stopped_ && (finished_ || !(regular_ && options_.follow)); }
    FileEnd file_end() const override { return end_; }
    void finish() override { finished_ = end_ != FileEnd::none; }
    void follow() override { options_.follow = true; }
    FileId file_id() const override { return id_; }
    bool stopped() const override { return stopped_; }
    bool unlinked() const override {
        struct stat status {};
        return regular_ && ::fstat(descriptor_, &status) == 0 && status.st_nlink == 0;
    }

    void skip_to(std::uint64_t byte) override {
        if (!regular_) {
            read_on(*this, at_, byte);
            return;
        }
        if (const std::uint64_t end = size(); byte > end) {
            refuse_skip(name_, end, byte);
        }
        if (::lseek(descriptor_, base_ + static_cast<off_t>(byte), SEEK_SET) < 0) {
            fail(name_, errno);
        }
        at_ = byte;
        last_.clear();
    }

    double share_read() const override {
        if (!regular_) {
            return -1.0;
        }
        const std::uint64_t end = size();
        return end == 0 ? 1.0 : std::min(1.0, static_cast<double>(at_) / static_cast<double>(end));
    }

    const std::string& name() const override { return name_; }

  private:
    // False where there is no such file.
    bool open_path() {
        do {
            descriptor_ = ::open(name_.c_str(), O_RDONLY | O_CLOEXEC);  // NOLINT(*-vararg)
        } while (descriptor_ < 0 && errno == EINTR);
        if (descriptor_ < 0 && errno != ENOENT) {
            fail(name_, errno);
        }
        return descriptor_ >= 0;
    }

    // False when reading must end.
    bool wait_for_file() {
        while (!open_path()) {
            if (!pause()) {
                return false;
            }
        }
        check_type();
        return true;
    }

    void close_descriptor() const noexcept {
        if (!standard_input_ && descriptor_ >= 0) {
            ::close(descriptor_);
        }
    }

    void check_type() {
        struct stat status {};
        if (::fstat(descriptor_, &status) != 0) {
            fail(name_, errno);
        }
        if (S_ISDIR(status.st_mode)) {
            fail(name_, EISDIR);
        }
        regular_ = S_ISREG(status.st_mode);
        if (regular_) {
            id_ = {.device = status.st_dev, .inode = status.st_ino};  // standard input may have been read from before
            base_ = std::max<off_t>(::lseek(descriptor_, 0, SEEK_CUR), 0);
        }
    }

    // Bytes from where reading began to the end of the file as it is now.
    std::uint64_t size() const {
        if (descriptor_ < 0) {
            return 0;
        }
        struct stat status {};
        if (::fstat(descriptor_, &status) != 0) {
            fail(name_, errno);
        }
        return status.st_size > base_ ? static_cast<std::uint64_t>(status.st_size - base_) : 0;
    }

    // First: whether the descriptor was readable; 0 bytes are the end.
    std::pair<bool, std::size_t> read_now(std::span<char> room) {
        for (;;) {
            const ::ssize_t bytes = ::read(descriptor_, room.data(), room.size());
            if (bytes >= 0) {
                at_ += static_cast<std::uint64_t>(bytes);
                return {true, static_cast<std::size_t>(bytes)};
            }
            if (errno == EAGAIN || errno == EWOULDBLOCK) {
                return {false, 0};
            }
            if (errno != EINTR) {
                fail(name_, errno);
            }
        }
    }

    std::size_t read_growing(std::span<char> room) {
        if (end_ != FileEnd::none) {
            return 0;
        }
        for (bool waited = false;;) {
            if (!has_bytes_read_before()) {
                end_ = FileEnd::emptied;
                return 0;
            }
            const bool replaced = path_has_another_file();
            if (const std::size_t bytes = read_and_remember(room); bytes > 0) {
                return bytes;
            }
            if (replaced) {  // seen before the last read: whoever writes has gone on to the other file
                end_ = FileEnd::replaced;
                return 0;
            }
            if (stop_asked()) {
                stopped_ = true;
                return 0;
            }
            if (!std::exchange(waited, true) && options_.before_waiting) {
                options_.before_waiting();
                continue;  // that may have taken long: there may be more now
            }
            if (!pause()) {
                return 0;
            }
        }
    }

    std::size_t read_and_remember(std::span<char> room) {
        const std::string_view bytes(room.data(), read_now(room).second);
        last_.append(bytes.substr(bytes.size() - std::min(bytes.size(), kCompared)));
        if (last_.size() > kCompared) {
            last_.erase(0, last_.size() - kCompared);
        }
        return bytes.size();
    }

    // Whether the file still has the bytes that were read last. It has not where it was emptied and has grown since.
    bool has_bytes_read_before() const {
        if (size() < at_) {
            return false;
        }
        std::array<char, kCompared> now{};
        std::size_t filled = 0;
        while (filled < last_.size()) {
            const ::ssize_t bytes =
                ::pread(descriptor_, now.data() + filled, last_.size() - filled,
                        base_ + static_cast<off_t>(at_ - last_.size()) + static_cast<off_t>(filled));
            if (bytes <= 0) {
                if (bytes < 0 && errno == EINTR) {
                    continue;
                }
                return false;
            }
            filled += static_cast<std::size_t>(bytes);
        }
        return std::string_view(now.data(), filled) == last_;
    }

    bool path_has_another_file() const {
        struct stat status {};
        return ::stat(name_.c_str(), &status) == 0 && status.st_size > 0 &&
               FileId{.device = status.st_dev, .inode = status.st_ino} != id_;
    }

    // Waits a moment for something to happen to a file. False when reading must end.
    bool pause() {
        std::array<pollfd, 2> both{pollfd{.fd = options_.stop_descriptor, .events = POLLIN, .revents = 0},
                                   pollfd{.fd = options_.wake_descriptor, .events = POLLIN, .revents = 0}};
        const int ready = ::poll(both.data(), both.size(), kGrowthPause);  // negative descriptors are ignored
        if (ready > 0 && both[0].revents != 0) {
            stopped_ = true;
            return false;
        }
        if (options_.before_waiting) {
            options_.before_waiting();
        }
        return true;
    }

    bool stop_asked() const {
        pollfd stop{.fd = options_.stop_descriptor, .events = POLLIN, .revents = 0};
        return ::poll(&stop, 1, 0) > 0;  // poll ignores a negative descriptor; an interruption is not a stop
    }

    // False when reading must end.
    bool wait_for_bytes() {
        std::array<pollfd, 3> all{pollfd{.fd = descriptor_, .events = POLLIN, .revents = 0},
                                  pollfd{.fd = options_.stop_descriptor, .events = POLLIN, .revents = 0},
                                  pollfd{.fd = options_.wake_descriptor, .events = POLLIN, .revents = 0}};
        for (int timeout = 0;; timeout = options_.longest_wait) {
            const int ready = ::poll(all.data(), all.size(), timeout);
            if (ready < 0 && errno != EINTR) {
                fail(name_, errno);
            }
            if (ready > 0 && all[1].revents != 0) {
                stopped_ = true;
                return false;
            }
            if (ready > 0 && all[0].revents != 0) {
                return true;
            }
            if (options_.before_waiting) {
                options_.before_waiting();
            }
        }
    }

    SourceOptions options_;
    bool standard_input_;
    std::string name_;
    int descriptor_ = -1;
    bool regular_ = false;
    bool stopped_ = false;
    bool finished_ = false;
    FileEnd end_ = FileEnd::none;
    FileId id_;
    std::string last_;  ///< the bytes that were read last, at most kCompared, of a regular file
    off_t base_ = 0;    ///< of the file where reading began
    std::uint64_t at_ = 0;
};

}  // namespace

std::unique_ptr<ByteSource> open_file(const std::string& path, SourceOptions options) {
    return std::make_unique<FileSource>(path, std::move(options));
}

void read_on(ByteSource& source, std::uint64_t at, std::uint64_t byte) {
    std::vector<char> room(std::size_t{1} << 16U);
    while (at < byte) {
        const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(byte - at, room.size()));
        const std::size_t bytes = source.read(std::span(room).first(wanted));
        if (bytes == 0) {
            refuse_skip(source.name(), at, byte);
        }
        at += bytes;
    }
}

void refuse_skip(const std::string& name, std::uint64_t end, std::uint64_t byte) {
    throw SourceError(fmt::format(
        "{}: ends at byte {}, before byte {} where reading should continue: is it the same file?", name, end, byte));
}

}  // namespace sluice::io
