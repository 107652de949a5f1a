#include "file_source.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <utility>
#include <vector>

namespace sluice::io {

namespace {

constexpr int kGrowthPause = 100;  // milliseconds between two attempts to read a file that may grow

[[noreturn]] void fail(const std::string& name, int error) {
    throw SourceError(fmt::format("{}: {}", name, std::generic_category().message(error)));
}

class FileSource final : public ByteSource {
  public:
    FileSource(const std::string& path, SourceOptions options)
        : options_(std::move(options)), standard_input_(path == "-"), name_(standard_input_ ? "standard input" : path) {
        descriptor_ = standard_input_ ? STDIN_FILENO : open_descriptor(path);
        try {
            check_type();
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
        if (regular_) {
            return options_.follow ? read_growing(room) : read_now(room).second;
        }
        for (;;) {
            if (!wait_for_bytes()) {
                stopped_ = true;
                return 0;
            }
            if (const auto [there, bytes] = read_now(room); there) {
                return bytes;
            }
        }
    }

    bool complete() const override { return !stopped_ && !(regular_ && options_.follow); }

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
    static int open_descriptor(const std::string& path) {
        for (;;) {
            const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);  // NOLINT(*-vararg)
            if (descriptor >= 0) {
                return descriptor;
            }
            if (errno != EINTR) {
                fail(path, errno);
            }
        }
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
        if (regular_) {  // standard input may have been read from before
            base_ = std::max<off_t>(::lseek(descriptor_, 0, SEEK_CUR), 0);
        }
    }

    // Bytes from where reading began to the end of the file as it is now.
    std::uint64_t size() const {
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
        for (bool announced = false;;) {
            if (const std::size_t bytes = read_now(room).second; bytes > 0) {
                return bytes;
            }
            if (size() < at_) {
                throw SourceError(fmt::format(
                    "{}: became shorter while it was followed ({} bytes, {} were read): it was emptied or replaced. "
                    "Start again to read it from its beginning",
                    name_, size(), at_));
            }
            if (!std::exchange(announced, true) && options_.before_waiting) {
                if (stop_asked(0)) {
                    return 0;
                }
                options_.before_waiting();
                continue;  // that may have taken long: there may be more now
            }
            if (stop_asked(kGrowthPause)) {
                return 0;
            }
        }
    }

    // Whether the stop descriptor becomes readable within the time.
    bool stop_asked(int milliseconds) const {
        pollfd stop{.fd = options_.stop_descriptor, .events = POLLIN, .revents = 0};
        return ::poll(&stop, 1, milliseconds) > 0;  // poll ignores a negative descriptor; an interruption is not a stop
    }

    // False when reading must end.
    bool wait_for_bytes() {
        std::array<pollfd, 2> both{pollfd{.fd = descriptor_, .events = POLLIN, .revents = 0},
                                   pollfd{.fd = options_.stop_descriptor, .events = POLLIN, .revents = 0}};
        for (int timeout = 0;;) {
            const int ready = ::poll(both.data(), both.size(), timeout);
            if (ready < 0 && errno != EINTR) {
                fail(name_, errno);
            }
            if (ready > 0) {
                return both[1].revents == 0;
            }
            if (ready == 0) {
                if (options_.before_waiting) {
                    options_.before_waiting();
                }
                timeout = -1;
            }
        }
    }

    SourceOptions options_;
    bool standard_input_;
    std::string name_;
    int descriptor_ = -1;
    bool regular_ = false;
    bool stopped_ = false;
    off_t base_ = 0;  ///< of the file where reading began
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
