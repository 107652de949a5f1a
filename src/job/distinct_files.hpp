// distinct_files.hpp -- the files of a job must differ: what is written must not be what is read or written elsewhere.
#pragma once

#include <string>
#include <vector>

namespace sluice::job {

struct NamedFile {
    std::string setting;  ///< "input", "out", ...
    std::string path;     ///< empty: not given; "-": standard input or output
    bool written = true;
};

/// Throws UsageError where two of them are one file, under whatever name, and at least one of the two is written.
/// Devices and pipes may be given twice.
void check_files_differ(const std::vector<NamedFile>& files);

}  // namespace sluice::job
