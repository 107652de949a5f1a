// published_folder.hpp -- several files that belong together, put into a folder when all of them are written.
//
// They are written into a hidden folder inside and renamed into place in the order given, so that whoever names the file
// that people open last finds it whole, old or new, with all the others in place.
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
    /// Made now, with the folders above it where they are missing, so that a folder that cannot be written is known
    /// before any work is done. Throws DiskError.
    PublishedFolder(Disk& disk, const std::string& path);
    /// What was not published is gone, and so is the folder if it was made for that and is empty.
    ~PublishedFolder();
    PublishedFolder(const PublishedFolder&) = delete;
    PublishedFolder& operator=(const PublishedFolder&) = delete;
    PublishedFolder(PublishedFolder&&) = delete;
    PublishedFolder& operator=(PublishedFolder&&) = delete;

    /// Writes one file beside. Throws DiskError.
    void add(const std::string& name, std::string_view content);
    /// All that was added appears, in that order. Throws DiskError.
    void publish();

    [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

  private:
    Disk& disk_;
    std::filesystem::path path_;
    std::filesystem::path beside_;
    std::filesystem::path topmost_made_;  // the first of the folders that were not there; empty: all were
    std::vector<std::string> names_;
};

}  // namespace sluice::io
