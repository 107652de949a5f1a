// token.hpp -- the secret that clients send: a file that only its owner can read, compared in constant time.
#pragma once

#include <string>
#include <string_view>

namespace sluice::serve {

/// Whether both are equal. The time depends on the length of `given` alone.
[[nodiscard]] bool equal_in_constant_time(std::string_view given, std::string_view secret) noexcept;

/// The token in the file. Where there is no file, a new one of 256 bits is made and written, mode 0600; `made` says so.
/// Throws UsageError for a file that others can read, that is no regular file of this user, or whose token is short.
[[nodiscard]] std::string token_of_file(const std::string& path, bool& made);

}  // namespace sluice::serve
