// line_buffer.hpp -- the bytes of a source that were read and not used yet, and their position.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "row_reader.hpp"
#include "source.hpp"
#include "text_mark.hpp"

namespace sluice::io {

class LineBuffer {
  public:
    /// Bytes after held() that may be accessed and of which the first is not a digit: simdjson and short_number.hpp need
    /// them.
    static constexpr std::size_t kPadding = 64;

    explicit LineBuffer(std::unique_ptr<ByteSource> source);

    /// Valid until more() or skip_to().
    [[nodiscard]] std::string_view held() const noexcept { return {bytes_.data() + begin_, end_ - begin_}; }
    /// Reads more bytes after those held; false at the end.
    [[nodiscard]] bool more();
    /// Removes the first `bytes` of those held, in which `lines` lines end.
    void take(std::size_t bytes, std::uint64_t lines);
    /// Continues at a position that is not before this one. The beginning of the text and the last `tail` bytes before the
    /// position are read on the way, so that mark() knows them.
    void skip_to(Position position, std::uint64_t tail = 0);

    [[nodiscard]] Position position() const noexcept { return position_; }
    [[nodiscard]] TextMark mark() const noexcept { return marker_.mark(); }  ///< of the bytes removed so far
    [[nodiscard]] const ByteSource& source() const noexcept { return *source_; }

  private:
    void take_until(std::uint64_t byte);
    void jump_to(std::uint64_t byte);

    std::unique_ptr<ByteSource> source_;
    std::vector<char> bytes_;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    Position position_;  ///< of begin_
    TextMarker marker_;
};

}  // namespace sluice::io
