// replaceable.hpp -- which file a replacement goes to. A symbolic link stays, and the file that it leads to is replaced. A
// device, a pipe or a folder is never replaced by a file.
#pragma once

#include <string>

#include "disk.hpp"

namespace sluice::io {

/// What replaceable_path() throws for something that is no file.
class NotReplaceable : public DiskError {
  public:
    NotReplaceable(const std::string& path, const std::string& kind);
    /// "is a device, which is never replaced by a file"
    [[nodiscard]] const std::string& reason() const noexcept { return reason_; }

  private:
    std::string reason_;
};

/// The path with its links resolved; the file need not exist. Throws NotReplaceable, and DiskError where links go in a
/// circle.
[[nodiscard]] std::string replaceable_path(const std::string& path);

/// The path with its links resolved as far as it exists, to compare it with others.
[[nodiscard]] std::string resolved_path(const std::string& path);

}  // namespace sluice::io
