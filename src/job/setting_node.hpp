// setting_node.hpp -- settings as a tree, whatever they were written in: JSON, YAML, a Python dict.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::job {

struct SettingNode {
    enum class Kind : std::uint8_t {
        null,
        literal,  ///< a number, true or false, as text
        text,     ///< certainly a text: "0.9" in JSON is no number
        word,     ///< YAML does not say which of the two: whoever reads it decides
        list,
        map
    };
    Kind kind = Kind::null;
    std::string value = {};               ///< of a literal, text or word
    std::vector<SettingNode> items = {};  ///< of a list or a map
    std::vector<std::string> names = {};  ///< of a map: one for each item

    /// A word; "", "~" and "null" are null, as in YAML.
    [[nodiscard]] static SettingNode of_word(std::string word);
    [[nodiscard]] bool is_text() const noexcept { return kind == Kind::text || kind == Kind::word; }
    [[nodiscard]] bool is_literal() const noexcept { return kind == Kind::literal || kind == Kind::word; }
};

/// What a field must be; they throw SettingError with the field and the rule where it is something else.
[[nodiscard]] std::string text_of(const SettingNode& node, std::string_view field);
/// A text, or a list of texts.
[[nodiscard]] std::vector<std::string> texts_of(const SettingNode& node, std::string_view field);
[[nodiscard]] bool flag_of(const SettingNode& node, std::string_view field);
[[nodiscard]] std::uint64_t count_of(const SettingNode& node, std::string_view field, std::uint64_t most);
/// Nothing where it is no number.
[[nodiscard]] std::optional<double> number_of(const SettingNode& node);
[[nodiscard]] char character_of(const SettingNode& node, std::string_view field);

}  // namespace sluice::job
