// output_file.hpp -- text that is written row by row, to a file that a resumed run continues, or to standard output.
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
    /// A path, begun anew, or "-" for standard output. Throws DiskError.
    OutputFile(Disk& disk, std::string path);
    /// Continues a file at `length`: what came after is cut off. Throws DiskError where the file is shorter.
    OutputFile(Disk& disk, std::string path, std::uint64_t length);
    ~OutputFile();
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;
    OutputFile(OutputFile&&) = delete;
    OutputFile& operator=(OutputFile&&) = delete;

    /// Text waiting to be written. Append here, then call `settle()`.
    [[nodiscard]] std::string& text() noexcept { return text_; }
    /// Writes what waits once it is worth a system call. Throws DiskError.
    void settle();
    void flush();  ///< writes what waits
    void sync();   ///< writes what waits and has it on the disk
    /// Bytes handed over so far, those that wait included.
    [[nodiscard]] std::uint64_t length() const noexcept { return written_ + text_.size(); }
    [[nodiscard]] const std::string& path() const noexcept { return path_; }

  private:
    Disk& disk_;
    std::string path_;
    std::string text_;
    std::uint64_t written_ = 0;
    int file_ = -1;
    bool regular_ = false;       // can be synced
    bool entry_synced_ = false;  // the folder knows the file
};

}  // namespace sluice::io
