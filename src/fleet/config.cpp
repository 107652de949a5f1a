#include "config.hpp"

#include <fmt/format.h>

#include "json_text.hpp"

namespace sluice::fleet {

Config read_config(const job::SettingNode& map) {
    Config config;
    const job::OtherFields others{
        .names = {"key", "sequence"}, .read = [&](std::string_view field, const job::SettingNode& value) {
            if (field == "key") {
                config.key = job::text_of(value, field);
            } else if (field == "sequence") {
                config.sequence = job::text_of(value, field);
            } else if (field == "on_bad_row" || field == "warmup") {
                throw job::SettingError(fmt::format(
                    "{}: a fleet has no such field. {}", field,
                    field == "warmup" ? "Its answers are not scored"
                                      : "A row that cannot be used is refused with an event, and the others go on"));
            } else {
                return false;
            }
            return true;
        }};
    std::string problems;
    const auto add = [&](const std::string& problem) { problems += (problems.empty() ? "" : "\n") + problem; };
    try {
        config.spec = job::read_spec(map, others);
    } catch (const std::invalid_argument& error) {  // SettingError or OptionError
        add(error.what());
    }
    if (config.key.empty()) {
        add("key: say which column tells the models apart, such as {\"key\": \"turbine\"}");
    } else if (config.key == config.sequence) {
        add(fmt::format("sequence: {} is already the key", config.sequence));
    }
    if (!problems.empty()) {
        throw job::SettingError(problems);
    }
    return config;
}

std::string config_json(const Config& config) {
    return job::spec_json(
        config.spec,
        {{"key", io::json(config.key)}, {"sequence", config.sequence.empty() ? "null" : io::json(config.sequence)}},
        {});
}

}  // namespace sluice::fleet
