// output_file.hpp -- text written row by row, to a file that a resumed run continues, or to standard output.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "disk.hpp"

namespace sluice::io {

class OutputFile {
  public:
    /// Creates or empties the file at `path`; "-" is standard output. Throws DiskError.
    OutputFile(Disk& disk, std::string path);
    /// Continues a file at `length` and cuts off what comes after. Throws DiskError where the file is shorter.
    OutputFile(Disk& disk, std::string path, std::uint64_t length);
    ~OutputFile();
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;
    OutputFile(OutputFile&&) = delete;
    OutputFile& operator=(OutputFile&&) = delete;

    /// The buffer. Append to it, then call flush_if_large().
    [[nodiscard]] std::string& text() noexcept { return text_; }
    /// Writes the buffer once it is large enough for a system call. Throws DiskError.
    void flush_if_large();
    void flush();  ///< writes the buffer
    void sync();   ///< writes the buffer and waits until it is on the disk
    /// Bytes given so far, including those in the buffer.
    [[nodiscard]] std::uint64_t length() const noexcept { return written_ + text_.size(); }
    [[nodiscard]] const std::string& path() const noexcept { return path_; }

  private:
    Disk& disk_;
    std::string path_;
    std::string text_;
    std::uint64_t written_ = 0;
    int file_ = -1;
    bool regular_ = false;       // can be synced
    bool entry_synced_ = false;  // the file's entry in its folder is on the disk
};

}  // namespace sluice::io
