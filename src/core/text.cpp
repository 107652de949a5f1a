// text.cpp -- values as text in messages. (Not by fmt: the library has no run-time dependencies.)
#include "text.hpp"

#include <array>
#include <charconv>

namespace sluice::core {

std::string text(double value) {
    std::array<char, 32> buffer{};
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
    return {buffer.data(), end};
}

std::string text(std::size_t value) {
    return std::to_string(value);
}

std::string text(const std::string& value) {
    return value;
}

std::string text(const std::vector<std::size_t>& values) {
    constexpr std::size_t kShown = 8;
    std::string out;
    for (std::size_t i = 0; i < values.size() && i < kShown; ++i) {
        out += i == 0 ? "" : ",";
        out += std::to_string(values[i]);
    }
    if (values.size() > kShown) {
        out += ",... (" + std::to_string(values.size()) + " numbers)";
    }
    return values.empty() ? "(empty)" : out;
}

std::string joined(std::span<const std::string> parts, const char* between) {
    std::string out;
    for (const std::string& part : parts) {
        out += out.empty() ? "" : between;
        out += part;
    }
    return out;
}

}  // namespace sluice::core
