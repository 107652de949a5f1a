// text.hpp -- values as text in messages.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace sluice::core {

[[nodiscard]] std::string text(double value);  ///< shortest form that reads back the same
[[nodiscard]] std::string text(std::size_t value);
[[nodiscard]] std::string text(const std::string& value);
[[nodiscard]] std::string text(const std::vector<std::size_t>& values);  ///< the first numbers of a long list
[[nodiscard]] std::string joined(std::span<const std::string> parts, const char* between);

}  // namespace sluice::core
