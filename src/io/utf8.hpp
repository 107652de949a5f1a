// utf8.hpp -- UTF-8, and text of older programs that is not.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sluice::io {

/// Length of the UTF-8 sequence at the beginning of `text`; 0 where it is not one (RFC 3629, well-formed sequences).
[[nodiscard]] std::size_t utf8_length(std::string_view text) noexcept;

[[nodiscard]] bool is_utf8(std::string_view text) noexcept;

/// The text itself where it is UTF-8. Other text is read as Windows-1252, of which Latin-1 is a part: every byte has a
/// character, so that two different texts stay different.
[[nodiscard]] std::string to_utf8(std::string_view text);
/// The same in place: nothing is allocated where the text is UTF-8 already.
void make_utf8(std::string& text);

}  // namespace sluice::io
