#include "parse_spec.hpp"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>

#include "request_error.hpp"

namespace sluice::serve {

namespace {

namespace dom = simdjson::dom;

[[noreturn]] void refuse(const std::string& sentence) {
    throw RequestError(400, "bad_model", sentence);
}

job::SettingNode node_of(dom::element value) {
    using Kind = job::SettingNode::Kind;
    job::SettingNode node;
    switch (value.type()) {
        case dom::element_type::NULL_VALUE:
            break;
        case dom::element_type::STRING:
            node.kind = Kind::text;
            node.value = std::string_view(value);
            break;
        case dom::element_type::ARRAY:
            node.kind = Kind::list;
            for (const dom::element one : dom::array(value)) {
                node.items.push_back(node_of(one));
            }
            break;
        case dom::element_type::OBJECT:
            node.kind = Kind::map;
            for (const dom::key_value_pair one : dom::object(value)) {
                node.names.emplace_back(one.key);
                node.items.push_back(node_of(one.value));
            }
            break;
        default:
            node.kind = Kind::literal;
            node.value = simdjson::minify(value);
            break;
    }
    return node;
}

}  // namespace

bool is_model_name(std::string_view name) noexcept {
    constexpr std::size_t kLongest = 64;
    const auto plain = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    };
    return !name.empty() && name.size() <= kLongest && plain(name.front()) &&
           std::ranges::all_of(name, [&](char c) { return plain(c) || c == '-' || c == '_'; });
}

void check_model_name(std::string_view name) {
    if (!is_model_name(name)) {
        throw RequestError(400, "bad_name",
                           "the name of a model must be a letter or digit, followed by at most 63 letters, digits, - "
                           "and _");
    }
}

ModelSpec parse_spec(std::string_view json, std::string* name) {
    dom::parser parser;
    dom::element whole;
    const simdjson::padded_string padded(json);
    if (const auto error = parser.parse(padded).get(whole); error != simdjson::SUCCESS) {
        refuse(fmt::format("this is not JSON: {}", simdjson::error_message(error)));
    }
    if (!whole.is_object()) {
        refuse("a model is described by a JSON object, such as {\"targets\": [\"y\"]}");
    }
    job::OtherFields others;
    if (name != nullptr) {
        others.names = {"name"};
        others.read = [name](std::string_view field, const job::SettingNode& value) {
            if (field == "name") {
                *name = job::text_of(value, field);
            }
            return field == "name";
        };
    }
    try {
        return job::read_spec(node_of(whole), others);
    } catch (const job::SettingError& error) {
        refuse(error.what());
    }
}

}  // namespace sluice::serve
