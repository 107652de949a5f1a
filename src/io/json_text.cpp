#include "json_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <iterator>

namespace sluice::io {

namespace {

// Written as it is.
bool is_plain(char c) {
    return c >= 0x20 && c < 0x7F && c != '"' && c != '\\';
}

// Length of the UTF-8 sequence at the beginning of `text`; 0 where it is not one (RFC 3629, well-formed sequences).
std::size_t utf8_length(std::string_view text) {
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

}  // namespace

void append_json(std::string& out, std::string_view text) {
    out += '"';
    while (!text.empty()) {
        const auto plain = static_cast<std::size_t>(std::ranges::find_if_not(text, is_plain) - text.begin());
        out += text.substr(0, plain);  // mostly all of it
        text.remove_prefix(plain);
        if (text.empty()) {
            break;
        }
        const char c = text.front();
        std::size_t taken = 1;
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (static_cast<unsigned char>(c) < 0x20U || c == 0x7F) {
            fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(c));
        } else if (const std::size_t length = utf8_length(text); length > 0) {
            out += text.substr(0, length);
            taken = length;
        } else {
            out += "\\ufffd";
        }
        text.remove_prefix(taken);
    }
    out += '"';
}

void append_json(std::string& out, double number) {
    if (std::isfinite(number)) {
        fmt::format_to(std::back_inserter(out), "{}", number);
    } else {
        out += "null";
    }
}

void JsonWriter::separate() {
    if (!first_) {
        out_ += spaced_ ? ", " : ",";
    }
    first_ = false;
}

JsonWriter& JsonWriter::open(char bracket) {
    separate();
    out_ += bracket;
    first_ = true;
    return *this;
}

JsonWriter& JsonWriter::close(char bracket) {
    out_ += bracket;
    first_ = false;
    return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
    separate();
    append_json(out_, name);
    out_ += spaced_ ? ": " : ":";
    first_ = true;
    return *this;
}

JsonWriter& JsonWriter::encoded_key(std::string_view json) {
    encoded(json);
    out_ += spaced_ ? ": " : ":";
    first_ = true;
    return *this;
}

JsonWriter& JsonWriter::encoded(std::string_view json) {
    separate();
    out_ += json;
    return *this;
}

JsonWriter& JsonWriter::integer(std::int64_t number) {
    std::array<char, 24> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    return encoded({digits.data(), end});
}

JsonWriter& JsonWriter::integer(std::uint64_t number) {
    std::array<char, 24> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    return encoded({digits.data(), end});
}

JsonWriter& JsonWriter::value(std::string_view text) {
    separate();
    append_json(out_, text);
    return *this;
}

JsonWriter& JsonWriter::value(double number) {
    separate();
    append_json(out_, number);
    return *this;
}

std::string json(std::string_view text) {
    std::string out;
    append_json(out, text);
    return out;
}

std::string json(double number) {
    std::string out;
    append_json(out, number);
    return out;
}

}  // namespace sluice::io
