#include "text_mark.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>

namespace sluice::io {

std::uint64_t hash_of(std::string_view text) noexcept {
    return XXH3_64bits(text.data(), text.size());
}

void TextMarker::add(std::string_view piece) {
    if (piece.empty()) {
        return;
    }
    if (head_.size() < kHead) {
        head_.append(piece.substr(0, kHead - head_.size()));
        mark_.head_bytes = head_.size();
        mark_.head_hash = hash_of(head_);
    }
    mark_.tail_bytes = piece.size();
    mark_.tail_hash = hash_of(piece);
}

}  // namespace sluice::io
