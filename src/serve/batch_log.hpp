// batch_log.hpp -- the batches of a model since its last checkpoint, in files to which is only appended.
//
// Each file, log-N, begins with batch number N:
//     { mark u32, bytes u32, number u64, XXH3 u64 of what follows with the number, seq u64, format u8, zeros u8[7], text } ...
// A batch counts once commit() has returned. What a crash has left of a batch at the end of a file is cut off by its length
// or its checksum. A file whose write or sync failed is not written again: the next batches go to a new one, after a new
// checkpoint. Where a file ends with batches that the next file has too, those of the next file count.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "batch.hpp"
#include "disk.hpp"

namespace sluice::serve {

class BatchLog {
  public:
    /// `folder` exists. Opens nothing yet.
    BatchLog(io::Disk& disk, std::string folder);
    ~BatchLog();
    BatchLog(const BatchLog&) = delete;
    BatchLog& operator=(const BatchLog&) = delete;
    BatchLog(BatchLog&&) = delete;
    BatchLog& operator=(BatchLog&&) = delete;

    /// Begins a new file with batch `first`, and removes the files before. All batches before `first` are in a checkpoint.
    /// Throws io::DiskError; the log then needs begin() again.
    void begin(std::uint64_t first);

    /// Keeps it for the next commit().
    void add(std::uint64_t number, const Batch& batch);
    /// Forgets the batch that was added last.
    void take_back() { pending_.resize(last_added_); }
    /// Writes what was added and waits until it is on the disk. Throws io::DiskError; the log then needs begin().
    void commit();

    [[nodiscard]] bool usable() const noexcept { return file_ >= 0; }
    [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }  ///< of the present file

    /// Gives every batch after number `after` to `use`, in order. Returns the number of the last one, or `after`.
    /// Throws StateError where a batch between two others is damaged or missing, and io::DiskError.
    static std::uint64_t replay(const std::string& folder, std::uint64_t after,
                                const std::function<void(std::uint64_t number, Batch&& batch)>& use);
    /// Whether the folder has any file of a log.
    [[nodiscard]] static bool exists(const std::string& folder);

  private:
    void close();

    io::Disk& disk_;
    std::string folder_;
    std::string path_;
    std::string pending_;
    std::size_t last_added_ = 0;  // where the batch that was added last begins in it
    std::uint64_t bytes_ = 0;
    int file_ = -1;
};

}  // namespace sluice::serve
