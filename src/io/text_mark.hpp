// text_mark.hpp -- how a text is recognised later: hashes of its beginning and of what was used last.
//
// A checkpoint holds the mark of the text that it was written for. A file continues that text only if it has the same
// bytes at these two places. Marks are of the text after decompression: a file that was compressed meanwhile is the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace sluice::io {

[[nodiscard]] std::uint64_t hash_of(std::string_view text) noexcept;  ///< XXH3

struct TextMark {
    std::uint64_t head_bytes = 0;  ///< of the beginning, at most TextMarker::kHead and at most what was used
    std::uint64_t head_hash = 0;
    std::uint64_t tail_bytes = 0;  ///< of the piece that was used last, which is a row with its line end
    std::uint64_t tail_hash = 0;

    friend bool operator==(const TextMark&, const TextMark&) = default;
};

/// Given every piece of a text that is used, in order.
class TextMarker {
  public:
    static constexpr std::size_t kHead = 4096;

    void add(std::string_view piece);
    [[nodiscard]] std::size_t head_bytes() const noexcept { return head_.size(); }
    [[nodiscard]] TextMark mark() const noexcept { return mark_; }

  private:
    std::string head_;
    TextMark mark_;
};

}  // namespace sluice::io
