// polled_source.hpp -- the bytes of a file that grows or of a pipe, as far as they are there: reading does not wait.
#pragma once

#include <memory>
#include <string>

#include "source.hpp"

namespace sluice::io {

/// A path, or "-" for standard input. read() returns 0 where there is nothing now, and may return more later; the text is
/// never complete. Only the first bytes of a pipe are waited for, until `stop_descriptor` becomes readable (negative: never).
/// Not decompressed. Throws SourceError.
[[nodiscard]] std::unique_ptr<ByteSource> open_polled(const std::string& path, int stop_descriptor = -1);

}  // namespace sluice::io
