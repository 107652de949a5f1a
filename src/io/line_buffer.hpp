// line_buffer.hpp -- a window on the bytes of a source: what was read and not yet used, and where that stands.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "row_reader.hpp"
#include "source.hpp"

namespace sluice::io {

class LineBuffer {
  public:
    /// Bytes behind held() that may be looked at, of which the first is no digit: simdjson and short_number.hpp ask
    /// for them.
    static constexpr std::size_t kPadding = 64;

    explicit LineBuffer(std::unique_ptr<ByteSource> source);

    /// Valid until more() or skip_to().
    [[nodiscard]] std::string_view held() const noexcept { return {bytes_.data() + begin_, end_ - begin_}; }
    /// Reads more behind what is held; false at the end.
    [[nodiscard]] bool more();
    /// Goes on behind the first `bytes` of what is held, in which `lines` lines end.
    void take(std::size_t bytes, std::uint64_t lines) noexcept;
    /// Goes on at a position not before this one.
    void skip_to(Position position);

    [[nodiscard]] Position position() const noexcept { return position_; }
    [[nodiscard]] const ByteSource& source() const noexcept { return *source_; }

  private:
    std::unique_ptr<ByteSource> source_;
    std::vector<char> bytes_;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    Position position_;  ///< of begin_
};

}  // namespace sluice::io
