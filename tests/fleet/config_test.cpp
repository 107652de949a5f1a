#include "config.hpp"

#include <gtest/gtest.h>

#include "config_file.hpp"
#include "setting_error.hpp"

namespace sluice::fleet::config_test {
namespace {

std::string refusal(const std::string& text) {
    try {
        (void)parse_config(text, "fleet.yaml");
    } catch (const std::exception& error) {
        return error.what();
    }
    return "accepted";
}

TEST(FleetConfig, YamlAndJsonOfTheSameFieldsAreOneConfig) {
    const Config yaml = parse_config(
        "key: turbine   # a comment\n"
        "sequence: n\n"
        "targets:\n  - power\n  - \"heat\"\n"
        "lags: 0:2\n"
        "interval: 0.9\n"
        "strict_columns: true\n"
        "options:\n  forgetting: 0.98\n  keep: [2, 1]\n  components: 2\n",
        "a");
    const Config json = parse_config(
        R"({"key":"turbine","sequence":"n","targets":["power","heat"],"lags":[0,1,2],"interval":0.9,
            "strict_columns":true,"options":{"forgetting":0.98,"keep":[2,1],"components":2}})",
        "b");
    EXPECT_EQ(config_json(yaml), config_json(json));
    EXPECT_EQ(yaml.key, "turbine");
    EXPECT_EQ(yaml.spec.roles.targets, (std::vector<std::string>{"power", "heat"}));
    EXPECT_EQ(yaml.spec.adaptive_options().model.forgetting, 0.98);
}

TEST(FleetConfig, ItsOwnTextIsReadBackAsTheSame) {
    const std::string text = config_json(parse_config("{key: k, targets: y, options: {forgetting: 0.9}}", "a"));
    EXPECT_EQ(config_json(parse_config(text, "b")), text);
}

TEST(FleetConfig, EveryBrokenRuleIsInOneError) {
    const std::string all = refusal("{kee: k, targets: [y], horizon: -1, warmup: 3, options: {forgeting: 1}}");
    for (const char* part : {"fleet.yaml", "there is no field \"kee\". Did you mean key?", "key: say which column",
                             "horizon: must be a whole number", "warmup: a fleet has no such field",
                             "there is no option \"forgeting\". Did you mean forgetting?"}) {
        EXPECT_NE(all.find(part), std::string::npos) << part << "\n" << all;
    }
}

TEST(FleetConfig, RefusesWhatIsNoConfig) {
    for (const char* text : {"", "[]", "7", "key", "{", "key: [", "{key: k}", "{targets: [y]}", "{key: k, targets: {}}",
                             "{key: k, sequence: k, targets: [y]}", "{key: k, targets: [y], key: l}", "? [a]\n: b\n",
                             "{key: k, targets: [y], options: {forgetting: 2}}",
                             "{key: k, targets: [y], on_bad_row: skip}", "{key: k, targets: [y], strict_columns: 1}"}) {
        EXPECT_NE(refusal(text), "accepted") << text;
    }
    EXPECT_NE(refusal("key: k\ntargets: [y\n").find("line"), std::string::npos);
}

}  // namespace
}  // namespace sluice::fleet::config_test
