// byte_text.hpp -- numbers of bytes as users give them: 500M, 16G. A unit is a power of 1024.
#pragma once

#include <cstddef>
#include <string>

namespace sluice::core {

/// The largest unit of which the number is a whole multiple: 10 for K, 20 for M, ...; 0 where it is bytes.
[[nodiscard]] unsigned byte_unit(std::size_t bytes);

/// "500M", or "1000000" where it is no multiple of a unit: reads back as the same number.
[[nodiscard]] std::string byte_text(std::size_t bytes);

/// In that unit, rounded up to two decimals: "1.35G", "23400 bytes".
[[nodiscard]] std::string byte_text_in(std::size_t bytes, unsigned unit);

}  // namespace sluice::core
