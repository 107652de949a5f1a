#include "words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace sluice::cli {

std::string grouped(std::uint64_t number) {
    const std::string digits = std::to_string(number);
    std::string out;
    for (std::size_t i = 0; i < digits.size(); ++i) {
        if (i > 0 && (digits.size() - i) % 3 == 0) {
            out += ',';
        }
        out += digits[i];
    }
    return out;
}

std::string duration(double seconds) {
    constexpr double kMinute = 60.0;
    constexpr double kHour = 3600.0;
    const auto whole = static_cast<std::uint64_t>(std::max(seconds, 0.0));
    if (seconds < kMinute) {
        return fmt::format("{} s", whole);
    }
    if (seconds < kHour) {
        return fmt::format("{} min {} s", whole / 60, whole % 60);
    }
    return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

std::string fixed(double number, int digits) {
    return std::isfinite(number) ? fmt::format("{:.{}f}", number, digits) : "-";
}

std::string bar(std::span<const double> shares) {
    constexpr std::array<const char*, 9> kSteps = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    std::string out;
    for (const double share : shares) {
        const auto step = static_cast<std::size_t>(std::ceil(std::clamp(share, 0.0, 1.0) * (kSteps.size() - 1)));
        out += kSteps.at(step);
    }
    return out;
}

std::string fitted(const std::string& text, std::size_t width) {
    const auto begins = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; };  // of UTF-8
    const auto length = static_cast<std::size_t>(std::ranges::count_if(text, begins));
    if (length <= width) {
        return text + std::string(width - length, ' ');
    }
    std::size_t seen = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (begins(text[i]) && ++seen == width) {
            return text.substr(0, i) + "…";
        }
    }
    return text;
}

}  // namespace sluice::cli
