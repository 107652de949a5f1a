// durable.hpp -- replaces a file so that at every moment, even after a power loss, the path has either the whole old
// content or the whole new content.
//
// The new content is written to PATH.new, synced, and renamed to PATH; then the folder is synced. The old content is kept
// as PATH.previous. A sync that failed is not repeated on the same file: the kernel may have dropped the pages and marked
// them clean, so that a second sync would succeed without the data. The next attempt writes a new file.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "disk.hpp"

namespace sluice::io {

/// A symbolic link stays, and the file that it leads to is replaced; PATH is then that file. Throws NotReplaceable for a
/// device, a pipe or a folder.
/// Throws DiskError. The path then has its old content, and PATH.new is removed. Where only the last sync of the folder
/// failed, the path has the new content, which a power loss might still undo.
void replace_durably(Disk& disk, const std::string& path, std::span<const std::byte> content);

/// The whole file. Throws DiskError.
[[nodiscard]] std::vector<std::byte> read_whole(const std::string& path);

}  // namespace sluice::io
