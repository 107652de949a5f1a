#include "token.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>

#include "disk.hpp"
#include "usage.hpp"

namespace sluice::serve {

namespace {

constexpr std::size_t kTokenBytes = 32;
constexpr std::size_t kShortestToken = 32;  // characters
constexpr std::size_t kLongestToken = 4096;

std::string new_token() {
    std::array<unsigned char, kTokenBytes> bytes{};
    for (std::size_t filled = 0; filled < bytes.size();) {
        const ssize_t got = getrandom(bytes.data() + filled, bytes.size() - filled, 0);
        if (got < 0 && errno != EINTR) {
            throw io::DiskError("read random bytes for", "the token", errno);
        }
        filled += got > 0 ? static_cast<std::size_t>(got) : 0;
    }
    std::string out;
    for (const unsigned char byte : bytes) {
        out += fmt::format("{:02x}", byte);
    }
    return out;
}

std::string write_new_token(const std::string& path) {
    constexpr mode_t kOwnerOnly = 0600;
    const int file =
        ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, kOwnerOnly);  // NOLINT(*-vararg)
    if (file < 0) {
        throw io::DiskError("create", path, errno);
    }
    std::string token = new_token();
    const std::string line = token + "\n";
    const bool written =
        ::write(file, line.data(), line.size()) == static_cast<ssize_t>(line.size()) && ::fsync(file) == 0;
    const int reason = errno;
    ::close(file);
    if (!written) {
        ::unlink(path.c_str());
        throw io::DiskError("write", path, reason);
    }
    return token;
}

}  // namespace

bool equal_in_constant_time(std::string_view given, std::string_view secret) noexcept {
    // The secret is walked round so that its length does not show; different lengths are never equal.
    unsigned difference = given.size() == secret.size() ? 0U : 1U;
    for (std::size_t i = 0; i < given.size() && !secret.empty(); ++i) {
        difference |= static_cast<unsigned>(static_cast<unsigned char>(given[i])) ^
                      static_cast<unsigned>(static_cast<unsigned char>(secret[i % secret.size()]));
    }
    return difference == 0U && !secret.empty();
}

std::string token_of_file(const std::string& path, bool& made) {
    made = false;
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // NOLINT(*-vararg)
    if (file < 0) {
        if (errno != ENOENT) {
            throw io::DiskError("open", path, errno);
        }
        made = true;
        return write_new_token(path);
    }
    struct stat about {};
    std::string text(kLongestToken, '\0');
    const bool known = ::fstat(file, &about) == 0;
    const ssize_t got = ::read(file, text.data(), text.size());
    ::close(file);
    if (!known || !S_ISREG(about.st_mode) || got < 0) {
        throw job::UsageError({"token_file"}, path + " is not a regular file");
    }
    constexpr mode_t kOthers = 0077;
    if ((about.st_mode & kOthers) != 0) {
        throw job::UsageError({"token_file"}, fmt::format("{} can be read by others: run chmod 600 {}", path, path));
    }
    text.resize(static_cast<std::size_t>(got));
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' ')) {
        text.pop_back();
    }
    for (const char c : text) {
        if (c <= ' ' || c > '~') {
            throw job::UsageError({"token_file"}, path + " must hold one line of printable characters");
        }
    }
    if (text.size() < kShortestToken) {
        throw job::UsageError({"token_file"},
                              fmt::format("the token in {} has {} characters; it needs at least {}: remove the file to "
                                          "get a new one",
                                          path, text.size(), kShortestToken));
    }
    return text;
}

}  // namespace sluice::serve
