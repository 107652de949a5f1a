#include "config_file.hpp"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <cstddef>
#include <vector>

#include "durable.hpp"
#include "setting_error.hpp"

namespace sluice::fleet {

namespace {

constexpr std::size_t kDeepest = 8;
constexpr std::size_t kLongestConfig = std::size_t{16} << 20U;  // bytes

// Every scalar is a word: what it must be is known by its field.
job::SettingNode node_of(const YAML::Node& from, std::size_t depth) {
    if (depth > kDeepest) {
        throw job::SettingError(fmt::format("its lists and objects are more than {} deep", kDeepest));
    }
    job::SettingNode node;
    switch (from.Type()) {
        case YAML::NodeType::Scalar:
            return job::SettingNode::of_word(from.Scalar());
        case YAML::NodeType::Sequence:
            node.kind = job::SettingNode::Kind::list;
            for (const YAML::Node& one : from) {
                node.items.push_back(one.IsScalar()
                                         ? job::SettingNode{.kind = job::SettingNode::Kind::word, .value = one.Scalar()}
                                         : node_of(one, depth + 1));
            }
            return node;
        case YAML::NodeType::Map:
            node.kind = job::SettingNode::Kind::map;
            for (const auto& one : from) {
                if (!one.first.IsScalar()) {
                    throw job::SettingError("a name of a field is a list or an object: write it as a text");
                }
                node.names.push_back(one.first.Scalar());
                node.items.push_back(node_of(one.second, depth + 1));
            }
            return node;
        default:
            return node;
    }
}

}  // namespace

Config parse_config(std::string_view text, const std::string& name) {
    try {
        if (text.size() > kLongestConfig) {
            throw job::SettingError("it is longer than 16 MB, and no config");
        }
        return read_config(node_of(YAML::Load(std::string(text)), 0));
    } catch (const YAML::Exception& error) {
        throw job::SettingError(
            fmt::format("{}, line {}: this is neither YAML nor JSON: {}", name, error.mark.line + 1, error.msg));
    } catch (const job::SettingError& error) {
        throw job::SettingError(fmt::format("{}:\n{}", name, error.what()));
    }
}

Config read_config_file(const std::string& path) {
    const std::vector<std::byte> bytes = io::read_whole(path);
    return parse_config({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path);
}

}  // namespace sluice::fleet
