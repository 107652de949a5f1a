// json_text.hpp -- JSON as it is written, a piece at a time.
#pragma once

#include <string>
#include <string_view>

namespace sluice::io {

/// With quotes; bytes that are not UTF-8 become U+FFFD, so that what is written is always JSON.
void append_json(std::string& out, std::string_view text);
/// The shortest form that reads back the same; null where it is no finite number.
void append_json(std::string& out, double number);

[[nodiscard]] std::string json(std::string_view text);
[[nodiscard]] std::string json(double number);

}  // namespace sluice::io
