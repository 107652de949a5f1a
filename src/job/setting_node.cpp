#include "setting_node.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <utility>

#include "setting_error.hpp"

namespace sluice::job {

namespace {

constexpr std::size_t kLongestText = 10'000;
constexpr std::size_t kMostTexts = 100'000;

}  // namespace

SettingNode SettingNode::of_word(std::string word) {
    if (word.empty() || word == "~" || word == "null") {
        return {};
    }
    return {.kind = Kind::word, .value = std::move(word)};
}

std::string text_of(const SettingNode& node, std::string_view field) {
    if (!node.is_text() || node.value.size() > kLongestText || node.value.find('\0') != std::string::npos) {
        throw SettingError(fmt::format("{}: must be a text of at most {} bytes", field, kLongestText));
    }
    return node.value;
}

std::vector<std::string> texts_of(const SettingNode& node, std::string_view field) {
    if (node.is_text()) {
        return {text_of(node, field)};
    }
    if (node.kind != SettingNode::Kind::list || node.items.size() > kMostTexts) {
        throw SettingError(fmt::format("{}: must be a list of texts", field));
    }
    std::vector<std::string> out;
    out.reserve(node.items.size());
    for (const SettingNode& one : node.items) {
        out.push_back(text_of(one, field));
    }
    return out;
}

bool flag_of(const SettingNode& node, std::string_view field) {
    if (!node.is_literal() || (node.value != "true" && node.value != "false")) {
        throw SettingError(fmt::format("{}: must be true or false", field));
    }
    return node.value == "true";
}

std::uint64_t count_of(const SettingNode& node, std::string_view field, std::uint64_t most) {
    std::uint64_t count = 0;
    const char* const end = node.value.data() + node.value.size();
    const auto [stop, problem] = std::from_chars(node.value.data(), end, count);
    if (!node.is_literal() || problem != std::errc() || stop != end || count > most) {
        throw SettingError(fmt::format("{}: must be a whole number, 0 to {}", field, most));
    }
    return count;
}

std::optional<double> number_of(const SettingNode& node) {
    double number = 0.0;
    const char* const end = node.value.data() + node.value.size();
    const auto [stop, problem] = std::from_chars(node.value.data(), end, number);
    if (!node.is_literal() || problem != std::errc() || stop != end || !std::isfinite(number)) {
        return std::nullopt;
    }
    return number;
}

char character_of(const SettingNode& node, std::string_view field) {
    const std::string text = text_of(node, field);
    if (text.size() != 1) {
        throw SettingError(fmt::format("{}: must be one character", field));
    }
    return text.front();
}

}  // namespace sluice::job
