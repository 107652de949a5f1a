// rotated_files.hpp -- the files FILE, FILE.1, ... FILE.9, of which a higher number is older.
//
// They are opened from the youngest on. Where one is renamed meanwhile, it is met twice, and none is left out.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "source.hpp"

namespace sluice::job {

/// An open file; closed unless release() is called.
class OpenFile {
  public:
    OpenFile(int descriptor, io::FileId id) : descriptor_(descriptor), id_(id) {}
    ~OpenFile();
    OpenFile(OpenFile&& other) noexcept : descriptor_(other.release()), id_(other.id_) {}
    OpenFile(const OpenFile&) = delete;
    OpenFile& operator=(const OpenFile&) = delete;
    OpenFile& operator=(OpenFile&&) = delete;

    [[nodiscard]] int release() noexcept;
    [[nodiscard]] io::FileId id() const noexcept { return id_; }

  private:
    int descriptor_;
    io::FileId id_;
};

/// All that exist, the youngest first; regular files only. `present` is left out where there is no FILE.
[[nodiscard]] std::vector<OpenFile> rotated_files(const std::string& path);

/// The file that is next younger than the one with this number; the youngest where that one is not found.
[[nodiscard]] int younger_than(const std::string& path, io::FileId id);

/// A new descriptor of the file with this number; negative where it is not found.
[[nodiscard]] int file_with(const std::string& path, io::FileId id);

}  // namespace sluice::job
