#include "json_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <iterator>

#include "format_to.hpp"
#include "utf8.hpp"

namespace sluice::io {

namespace {

// Written as it is.
bool is_plain(char c) {
    return c >= 0x20 && c < 0x7F && c != '"' && c != '\\';
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
        std::array<char, 32> digits;  // NOLINT(cppcoreguidelines-pro-type-member-init): the longest has 24
        out.append(digits.data(), fmt::format_to(digits.data(), "{}", number));
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
