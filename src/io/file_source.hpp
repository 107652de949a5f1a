// file_source.hpp -- the bytes of a file or a pipe, without decompression.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "source.hpp"

namespace sluice::io {

/// A regular file is read to its end, or followed beyond it until it is emptied or replaced; anything else (a pipe, a
/// terminal) is waited for.
[[nodiscard]] std::unique_ptr<ByteSource> open_file(const std::string& path, SourceOptions options);

/// Reads until `byte` is reached, for sources that cannot seek; `at` is the present position of the source.
void read_on(ByteSource& source, std::uint64_t at, std::uint64_t byte);

/// Throws what read_on() throws where the text ends at `end`, before `byte`.
[[noreturn]] void refuse_skip(const std::string& name, std::uint64_t end, std::uint64_t byte);

}  // namespace sluice::io
