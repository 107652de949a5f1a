// resumed_output.hpp -- an output of a stream job, new or continued where the checkpoint has left it.
#pragma once

#include <memory>
#include <string>

#include "message.hpp"
#include "output_file.hpp"

namespace sluice::job {

struct OutputRequest {
    std::string setting;    ///< "out"
    std::string path;       ///< "-": standard output
    std::string header;     ///< what a new file begins with
    io::OutputMark mark;    ///< of the checkpoint
    std::string unwritten;  ///< of the checkpoint
    bool resumed = false;   ///< there is a checkpoint
    bool closed = false;    ///< nothing was written after it
    bool as_new = false;    ///< do not look for the file of the checkpoint
};

/// Throws UsageError where the file of the checkpoint is not found, DiskError.
[[nodiscard]] std::unique_ptr<io::OutputFile> open_output(io::Disk& disk, const OutputRequest& request,
                                                          const MessageHandler& message);

/// After SIGHUP: syncs the file and opens its path again. Where that fails, the present file is kept and the user told.
void reopen_output(io::OutputFile& file, const std::string& header, const MessageHandler& message);

}  // namespace sluice::job
