// published_folder.hpp -- several files that belong together, put into a folder when all of them are written.
//
// They are written into a hidden folder inside and renamed into place in the order in which they were added. The file that
// people open is added last: it is then always whole, old or new, with all the others in place.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "disk.hpp"

namespace sluice::io {

class PublishedFolder {
  public:
    /// Creates the folder and the missing folders above it now, so that a folder that cannot be written is reported before
    /// any work is done. Throws DiskError.
    PublishedFolder(Disk& disk, const std::string& path);
    /// Removes what was not published, and the folder too if it was created here and is empty.
    ~PublishedFolder();
    PublishedFolder(const PublishedFolder&) = delete;
    PublishedFolder& operator=(const PublishedFolder&) = delete;
    PublishedFolder(PublishedFolder&&) = delete;
    PublishedFolder& operator=(PublishedFolder&&) = delete;

    /// Writes one file into the hidden folder. Throws DiskError.
    void add(const std::string& name, std::string_view content);
    /// Renames all files into place, in the order in which they were added. Throws DiskError.
    void publish();

    [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

  private:
    Disk& disk_;
    std::filesystem::path path_;
    std::filesystem::path hidden_;
    std::filesystem::path topmost_created_;  // the topmost folder that was created; empty: all existed
    std::vector<std::string> names_;
};

}  // namespace sluice::io
