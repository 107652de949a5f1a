// durable.hpp -- replaces a file so that at every moment, power loss included, the path holds the old content or the
// new one, whole.
//
// The new content is written beside (PATH.new), synced, and renamed over the path; then the folder is synced. What was
// there before stays as PATH.previous. A sync that failed is not tried again on the same file: the kernel may have
// dropped the pages and marked them clean, so that a second sync would succeed without the data. The next attempt
// writes a new file.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "disk.hpp"

namespace sluice::io {

/// Throws DiskError; the path then holds what it held (or, where only the last sync of the folder failed, the new
/// content, which a loss of power might still undo), and nothing is left beside it.
void replace_durably(Disk& disk, const std::string& path, std::span<const std::byte> content);

/// The whole file. Throws DiskError.
[[nodiscard]] std::vector<std::byte> read_whole(const std::string& path);

}  // namespace sluice::io
