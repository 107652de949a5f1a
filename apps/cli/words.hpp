// words.hpp -- numbers as people read them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace sluice::cli {

/// Of the column of names in tables.
constexpr std::size_t kNameWidth = 24;

[[nodiscard]] std::string grouped(std::uint64_t number);     ///< 1,234,567
[[nodiscard]] std::string duration(double seconds);          ///< 45 s, 3 min 20 s, 2 h 5 min
[[nodiscard]] std::string fixed(double number, int digits);  ///< "-" where there is none
/// One character to a part, higher the larger the share (0 to 1).
[[nodiscard]] std::string bar(std::span<const double> shares);
/// Cut, with an ellipsis, to `width` characters (of UTF-8), and padded to them.
[[nodiscard]] std::string fitted(const std::string& text, std::size_t width);

}  // namespace sluice::cli
