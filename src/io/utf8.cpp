#include "utf8.hpp"

#include <array>
#include <cstdint>

namespace sluice::io {

namespace {

// Windows-1252, bytes 0x80 to 0x9F; those that it does not define are the control characters of Latin-1.
constexpr std::array<std::uint16_t, 32> kWindows1252 = {0x20AC, 0x0081, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
                                                        0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x008D, 0x017D, 0x008F,
                                                        0x0090, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
                                                        0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x009D, 0x017E, 0x0178};

void append_utf8(std::string& out, unsigned code) {
    constexpr unsigned kTwoBytes = 0x80;
    constexpr unsigned kThreeBytes = 0x800;
    const auto put = [&](unsigned byte) { out += static_cast<char>(static_cast<unsigned char>(byte)); };
    if (code < kTwoBytes) {
        put(code);
        return;
    }
    if (code < kThreeBytes) {
        put(0xC0U | (code >> 6U));
    } else {
        put(0xE0U | (code >> 12U));
        put(0x80U | ((code >> 6U) & 0x3FU));
    }
    put(0x80U | (code & 0x3FU));
}

}  // namespace

std::size_t utf8_length(std::string_view text) noexcept {
    const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
    const auto follows = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
    const unsigned first = byte(0);
    if (first < 0x80U) {
        return 1;
    }
    if (first >= 0xC2U && first <= 0xDFU) {
        return follows(1) ? 2 : 0;
    }
    if (first >= 0xE0U && first <= 0xEFU) {
        const bool in_range = (first != 0xE0U || byte(1) >= 0xA0U) && (first != 0xEDU || byte(1) <= 0x9FU);
        return in_range && follows(1) && follows(2) ? 3 : 0;
    }
    if (first >= 0xF0U && first <= 0xF4U) {
        const bool in_range = (first != 0xF0U || byte(1) >= 0x90U) && (first != 0xF4U || byte(1) <= 0x8FU);
        return in_range && follows(1) && follows(2) && follows(3) ? 4 : 0;
    }
    return 0;
}

bool is_utf8(std::string_view text) noexcept {
    while (!text.empty()) {
        const std::size_t length = utf8_length(text);
        if (length == 0) {
            return false;
        }
        text.remove_prefix(length);
    }
    return true;
}

std::string to_utf8(std::string_view text) {
    if (is_utf8(text)) {
        return std::string(text);
    }
    std::string out;
    for (const char c : text) {
        const unsigned byte = static_cast<unsigned char>(c);
        append_utf8(out, byte >= 0x80U && byte < 0xA0U ? kWindows1252.at(byte - 0x80U) : byte);
    }
    return out;
}

void make_utf8(std::string& text) {
    if (!is_utf8(text)) {
        text = to_utf8(text);
    }
}

}  // namespace sluice::io
