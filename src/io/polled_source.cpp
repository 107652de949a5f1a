#include "polled_source.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

#include "file_source.hpp"

namespace sluice::io {

namespace {

class PolledSource final : public ByteSource {
  public:
    PolledSource(const std::string& path, int stop_descriptor)
        : stop_descriptor_(stop_descriptor),
          standard_input_(path == "-"),
          name_(standard_input_ ? "standard input" : path),
          // Without O_NONBLOCK, open() waits for the first writer of a FIFO.
          descriptor_(standard_input_ ? STDIN_FILENO
                                      : ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {  // NOLINT(*-vararg)
        if (descriptor_ < 0) {
            fail();
        }
        struct stat status {};
        if (::fstat(descriptor_, &status) == 0) {
            regular_ = S_ISREG(status.st_mode);
        }
    }
    ~PolledSource() override {
        if (!standard_input_ && descriptor_ >= 0) {
            ::close(descriptor_);
        }
    }
    PolledSource(const PolledSource&) = delete;
    PolledSource& operator=(const PolledSource&) = delete;
    PolledSource(PolledSource&&) = delete;
    PolledSource& operator=(PolledSource&&) = delete;

    std::size_t read(std::span<char> room) override {
        if (!regular_ && !readable(at_ == 0 ? -1 : 0)) {
            return 0;
        }
        const ::ssize_t bytes = ::read(descriptor_, room.data(), room.size());
        if (bytes < 0) {
            if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) {
                return 0;
            }
            fail();
        }
        if (bytes == 0 && regular_ && size() < at_) {
            throw SourceError(
                fmt::format("{}: became shorter while it was followed ({} bytes, {} were read): it was "
                            "emptied or replaced",
                            name_, size(), at_));
        }
        at_ += static_cast<std::uint64_t>(bytes);
        return static_cast<std::size_t>(bytes);
    }

    bool complete() const override { return false; }

    void skip_to(std::uint64_t byte) override {
        if (!regular_) {
            read_on(*this, at_, byte);
        } else if (const std::uint64_t end = size(); byte > end) {
            refuse_skip(name_, end, byte);
        } else if (::lseek(descriptor_, static_cast<off_t>(byte), SEEK_SET) < 0) {
            fail();
        }
        at_ = byte;
    }

    double share_read() const override { return -1.0; }
    const std::string& name() const override { return name_; }

  private:
    [[noreturn]] void fail() const {
        throw SourceError(fmt::format("{}: {}", name_, std::generic_category().message(errno)));
    }
    // Whether there is something within the time; negative: until there is, or until reading must end.
    bool readable(int milliseconds) const {
        std::array<pollfd, 2> both{pollfd{.fd = descriptor_, .events = POLLIN, .revents = 0},
                                   pollfd{.fd = stop_descriptor_, .events = POLLIN, .revents = 0}};
        return ::poll(both.data(), both.size(), milliseconds) > 0 && both[0].revents != 0;
    }
    std::uint64_t size() const {
        struct stat status {};
        if (::fstat(descriptor_, &status) != 0) {
            fail();
        }
        return static_cast<std::uint64_t>(status.st_size);
    }

    int stop_descriptor_;
    bool standard_input_;
    std::string name_;
    int descriptor_;
    bool regular_ = false;
    std::uint64_t at_ = 0;
};

}  // namespace

std::unique_ptr<ByteSource> open_polled(const std::string& path, int stop_descriptor) {
    return std::make_unique<PolledSource>(path, stop_descriptor);
}

}  // namespace sluice::io
