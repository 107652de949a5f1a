// json_text.hpp -- JSON as it is written. The only place in the tree that writes brackets, commas and escapes.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace sluice::io {

/// In quotes. Bytes that are not UTF-8 become U+FFFD, so that what is written is always JSON.
void append_json(std::string& out, std::string_view text);
/// The shortest form that reads back the same; null where it is not a finite number.
void append_json(std::string& out, double number);

[[nodiscard]] std::string json(std::string_view text);
[[nodiscard]] std::string json(double number);

/// Appends objects and lists to a text, with commas between their members:
///     JsonWriter json(out, JsonWriter::spaced);
///     json.begin_object().member("rows", 7).key("targets").list(names).end_object();
class JsonWriter {
  public:
    enum Style : std::uint8_t { compact, spaced };  ///< {"a":1,"b":2} or {"a": 1, "b": 2}

    JsonWriter(std::string& out, Style style) : out_(out), spaced_(style == spaced) {}

    JsonWriter& begin_object() { return open('{'); }
    JsonWriter& end_object() { return close('}'); }
    JsonWriter& begin_list() { return open('['); }
    JsonWriter& end_list() { return close(']'); }
    JsonWriter& key(std::string_view name);
    /// Text that is JSON already: a value, or a key that was escaped before.
    JsonWriter& encoded(std::string_view json);
    JsonWriter& encoded_key(std::string_view json);

    JsonWriter& value(std::string_view text);
    JsonWriter& value(const char* text) { return value(std::string_view(text)); }
    JsonWriter& value(double number);
    JsonWriter& value(bool flag) { return encoded(flag ? "true" : "false"); }
    template <std::integral Number>
    JsonWriter& value(Number number) {
        using Widest = std::conditional_t<std::signed_integral<Number>, std::int64_t, std::uint64_t>;
        return integer(static_cast<Widest>(number));
    }
    template <typename T>
    JsonWriter& value(const std::optional<T>& maybe) {
        return maybe ? value(*maybe) : encoded("null");
    }

    template <typename T>
    JsonWriter& member(std::string_view name, const T& of) {
        return key(name).value(of);
    }
    template <typename T>
    JsonWriter& list(const std::vector<T>& values) {
        begin_list();
        for (const T& one : values) {
            value(one);
        }
        return end_list();
    }

  private:
    JsonWriter& open(char bracket);
    JsonWriter& close(char bracket);
    JsonWriter& integer(std::int64_t number);
    JsonWriter& integer(std::uint64_t number);
    void separate();

    std::string& out_;
    bool spaced_;
    bool first_ = true;  ///< nothing is written yet in the innermost object or list, or a key waits for its value
};

}  // namespace sluice::io
