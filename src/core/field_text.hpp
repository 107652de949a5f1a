// field_text.hpp -- values of options as text, and text as values.
#pragma once

#include <charconv>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sluice/error.hpp"
#include "text.hpp"

namespace sluice::core {

/// The words of an option and their values.
template <typename Choice>
using Words = std::span<const std::pair<std::string_view, Choice>>;

[[noreturn]] inline void refuse(std::string_view text, const std::string& rule) {
    std::string message = "\"";
    message += text;
    message += "\" is not ";
    throw OptionError({message + rule});
}

template <typename Number>
Number number_from(std::string_view text, const char* rule) {
    Number value{};
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (problem != std::errc() || end != text.data() + text.size()) {
        refuse(text, rule);
    }
    return value;
}

inline void parse(std::string_view text, double& value) {
    value = number_from<double>(text, "a number");
}

inline void parse(std::string_view text, std::size_t& value) {
    value = number_from<std::size_t>(text, "a whole number");
}

inline void parse(std::string_view text, bool& value) {
    for (const std::string_view word : {"yes", "true", "1", "on"}) {
        if (text == word) {
            value = true;
            return;
        }
    }
    for (const std::string_view word : {"no", "false", "0", "off"}) {
        if (text == word) {
            value = false;
            return;
        }
    }
    refuse(text, "yes or no");
}

inline void parse(std::string_view text, std::vector<std::size_t>& values) {
    values.clear();
    while (!text.empty()) {
        const std::size_t comma = text.find(',');
        values.push_back(number_from<std::size_t>(text.substr(0, comma), "a list of whole numbers, such as 20 or 5,4"));
        text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
    }
}

template <typename T>
void parse(std::string_view text, std::optional<T>& value) {
    if (text.empty() || text == "none") {
        value.reset();
        return;
    }
    parse(text, value.emplace());
}

inline std::string print(double value) {
    return text(value);
}
inline std::string print(std::size_t value) {
    return text(value);
}
inline std::string print(bool value) {
    return value ? "yes" : "no";
}
inline std::string print(const std::vector<std::size_t>& values) {
    std::string out;
    for (const std::size_t value : values) {
        out += out.empty() ? "" : ",";
        out += std::to_string(value);
    }
    return out;
}
template <typename T>
std::string print(const std::optional<T>& value) {
    return value ? print(*value) : "none";
}

template <typename Choice>
Choice meaning_of(std::string_view word, Words<Choice> words) {
    std::string allowed;
    for (const auto& [known, meaning] : words) {
        if (word == known) {
            return meaning;
        }
        allowed += allowed.empty() ? "" : ", ";
        allowed += known;
    }
    refuse(word, "one of " + allowed);
}

template <typename Choice>
std::string word_for(Choice value, Words<Choice> words) {
    for (const auto& [word, meaning] : words) {
        if (meaning == value) {
            return std::string(word);
        }
    }
    return "?";
}

}  // namespace sluice::core
