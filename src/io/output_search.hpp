// output_search.hpp -- finds the file that an output was written to, which may have been renamed since.
//
// Logs are rotated by renaming FILE to FILE.1, FILE.1 to FILE.2 and so on. A run that was killed after that and before it
// reopened its outputs has written to FILE.1 after its checkpoint. A resumed run cuts that file back.
#pragma once

#include <cstdint>
#include <string>

#include "disk.hpp"
#include "output_file.hpp"

namespace sluice::io {

enum class FoundOutput : std::uint8_t {
    present,  ///< the file at the path: it continues at the mark
    renamed,  ///< PATH.1 to PATH.9: it was cut back to the mark, and what is younger was emptied
    none      ///< none of them
};

/// Cuts a renamed file back, and empties the younger ones, which were written after the checkpoint. Throws DiskError.
[[nodiscard]] FoundOutput find_output(Disk& disk, const std::string& path, const OutputMark& mark);

/// At most `most` bytes of the file before byte `end`; fewer, where the file is shorter or cannot be read.
[[nodiscard]] std::string bytes_before(const std::string& path, std::uint64_t end, std::uint64_t most);

}  // namespace sluice::io
