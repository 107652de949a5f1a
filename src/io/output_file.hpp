// output_file.hpp -- text written row by row, to a file that a resumed run continues, or to standard output.
//
// A regular file is created, continued or reopened (after it was renamed). Anything else (a pipe, a device) is written
// through and never synced, cut or reopened.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "disk.hpp"

namespace sluice::io {

/// Where a checkpoint has left an output file, and how the file is recognised when it was renamed since.
struct OutputMark {
    std::uint64_t length = 0;      ///< bytes of the file that belong to the checkpoint
    std::uint64_t tail_bytes = 0;  ///< of the last of them, at most OutputFile::kTail; 0: not known
    std::uint64_t tail_hash = 0;
    FileId id = {};  ///< only of a file that continues another one and has no record yet; zeros otherwise

    friend bool operator==(const OutputMark&, const OutputMark&) = default;
};

class OutputFile {
  public:
    static constexpr std::size_t kTail = 4096;

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
    /// Appends what a new file begins with. A file that has nothing else has no record.
    void begin(const std::string& header);
    /// Writes the buffer once it is large enough for a system call. Throws DiskError.
    void flush_if_large();
    /// Writes the buffer. Throws DiskError; what could not be written stays in the buffer.
    void flush();
    void sync();          ///< writes the buffer and waits until it is on the disk
    void sync_written();  ///< waits for what was written before; the buffer stays. Throws where a sync failed before
    /// Syncs, closes the file and opens the path again: another file where it was renamed or emptied. Returns whether the
    /// file is empty now and needs its beginning. Throws DiskError and keeps the present file where the path cannot be
    /// opened.
    [[nodiscard]] bool reopen();

    /// Bytes given so far, including those in the buffer.
    [[nodiscard]] std::uint64_t length() const noexcept { return written_ + text_.size(); }
    /// Of the bytes written. The length of a file without a record is that with which it was opened.
    [[nodiscard]] OutputMark mark() const;
    /// Records that are not written, because that failed.
    [[nodiscard]] std::string unwritten() const { return has_record() ? text_ : ""; }
    /// While the file has no record, mark() tells it by its identity, so that it is found after it was renamed.
    void mark_by_identity() noexcept { by_identity_ = true; }
    [[nodiscard]] const std::string& path() const noexcept { return path_; }
    [[nodiscard]] bool regular() const noexcept { return regular_; }

  private:
    [[nodiscard]] bool has_record() const noexcept { return length() > no_record_; }
    void note_written(std::size_t bytes);
    void sync_file();

    Disk& disk_;
    std::string path_;
    std::string text_;
    std::string tail_;  // of what was written, at most kTail bytes
    std::uint64_t written_ = 0;
    std::uint64_t no_record_ = 0;  // length of the file without a record
    std::uint64_t opened_at_ = 0;  // its length when it was opened
    FileId id_;
    int file_ = -1;
    bool regular_ = false;  // can be synced
    bool by_identity_ = false;
    bool sync_failed_ = false;
    bool entry_synced_ = false;  // the file's entry in its folder is on the disk
};

}  // namespace sluice::io
