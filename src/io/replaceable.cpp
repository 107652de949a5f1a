#include "replaceable.hpp"

#include <cerrno>
#include <filesystem>
#include <system_error>

namespace sluice::io {

namespace fs = std::filesystem;

namespace {

std::string kind_of(fs::file_type type) {
    switch (type) {
        case fs::file_type::directory:
            return "a folder";
        case fs::file_type::block:
        case fs::file_type::character:
            return "a device";
        case fs::file_type::fifo:
            return "a named pipe";
        case fs::file_type::socket:
            return "a socket";
        default:
            return "no regular file";
    }
}

// Follows links one by one, since what the last one leads to need not exist.
fs::path target_of(const std::string& path) {
    constexpr int kMostLinks = 40;  // as the system
    fs::path at = path;
    std::error_code trouble;
    for (int links = 0; fs::is_symlink(at, trouble); ++links) {
        if (links == kMostLinks) {
            throw DiskError("replace", path, ELOOP);
        }
        const fs::path to = fs::read_symlink(at, trouble);
        at = to.is_absolute() ? to : at.parent_path() / to;
    }
    return at;
}

}  // namespace

NotReplaceable::NotReplaceable(const std::string& path, const std::string& kind)
    : DiskError(path + " is " + kind + ", which is never replaced by a file: give the name of a file"),
      reason_("is " + kind + ", which is never replaced by a file") {}

std::string replaceable_path(const std::string& path) {
    const fs::path target = target_of(path);
    std::error_code none_yet;
    const fs::file_type type = fs::status(target, none_yet).type();
    if (type != fs::file_type::regular && type != fs::file_type::not_found && type != fs::file_type::none) {
        throw NotReplaceable(path, kind_of(type));
    }
    return target.string();
}

std::string resolved_path(const std::string& path) {
    std::error_code trouble;
    const fs::path target = target_of(path);
    const fs::path whole = fs::weakly_canonical(fs::absolute(target, trouble), trouble);
    return trouble ? target.string() : whole.string();
}

}  // namespace sluice::io
