// source.hpp -- where bytes come from: a file, a pipe, either of them compressed, or a file that still grows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>

#include "disk.hpp"

namespace sluice::io {

/// A file that cannot be opened or read. what() names the file and the reason.
class SourceError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// Compressed data that is damaged or cut short.
class DamagedSource : public SourceError {
  public:
    using SourceError::SourceError;
};

/// How a file that is followed has ended.
enum class FileEnd : std::uint8_t {
    none,     ///< it has not
    emptied,  ///< it is shorter than what was read of it, or has other bytes there
    replaced  ///< its path has another file, which is not empty
};

/// Bytes in order. Positions count the bytes that come out, after decompression.
class ByteSource {
  public:
    ByteSource() = default;
    virtual ~ByteSource() = default;
    ByteSource(const ByteSource&) = delete;
    ByteSource& operator=(const ByteSource&) = delete;
    ByteSource(ByteSource&&) = delete;
    ByteSource& operator=(ByteSource&&) = delete;

    /// Reads at least one byte into `room`, or as many as are available; 0 means the end. May wait for a pipe or a growing
    /// file.
    [[nodiscard]] virtual std::size_t read(std::span<char> room) = 0;
    /// Whether the end that read() reported is the end of the text. False where reading was stopped, or the file may still
    /// grow: a last line without its newline is then not a row yet.
    [[nodiscard]] virtual bool complete() const { return true; }
    /// For a file that is followed: whether it has ended, so that reading continues in another one. complete() is false
    /// until finish().
    [[nodiscard]] virtual FileEnd file_end() const { return FileEnd::none; }
    virtual void finish() {}  ///< what was read of a file that has ended is all of it
    virtual void follow() {}  ///< from now on, waits for more at the end of a regular file
    /// Of a regular file; zeros otherwise.
    [[nodiscard]] virtual FileId file_id() const { return {}; }
    [[nodiscard]] virtual bool unlinked() const { return false; }  ///< whether the file has no name any more
    [[nodiscard]] virtual bool stopped() const { return false; }   ///< whether read() ended because it was asked to
    /// Continues at `byte`, forwards only: by seeking where possible, otherwise by reading. Throws SourceError where the
    /// text ends before.
    virtual void skip_to(std::uint64_t byte) = 0;
    /// Share of the input that was read, 0 to 1; negative where its size is not known.
    [[nodiscard]] virtual double share_read() const = 0;
    [[nodiscard]] virtual const std::string& name() const = 0;  ///< as in messages: the path, or "standard input"
};

struct SourceOptions {
    bool follow = false;  ///< wait for more at the end of a file
    /// Becomes readable when reading must end: a wait ends then and read() returns 0. Negative: never.
    int stop_descriptor = -1;
    /// Called before a wait, so that buffered output can be written, and then again and again while it lasts: whenever
    /// `wake_descriptor` is readable (the callee reads it), and after `longest_wait` milliseconds.
    std::function<void()> before_waiting = {};
    int wake_descriptor = -1;  ///< negative: none
    int longest_wait = -1;     ///< negative: no limit
    /// An open file to read, which is closed with the source; the path is still what is looked at to see whether it was
    /// replaced. Negative: the path is opened.
    int descriptor = -1;
};

/// A path, or "-" for standard input. A followed file need not exist yet. gzip and zstd are recognised by their first bytes,
/// several members or frames in a row as well. Throws SourceError.
[[nodiscard]] std::unique_ptr<ByteSource> open_source(const std::string& path, SourceOptions options = {});

/// Bytes already in memory, returned in pieces of at most `piece`. `name` is what messages call them.
[[nodiscard]] std::unique_ptr<ByteSource> memory_source(std::string bytes, std::size_t piece,
                                                        std::string name = "memory");

}  // namespace sluice::io
