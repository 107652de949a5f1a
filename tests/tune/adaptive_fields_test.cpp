#include "sluice/adaptive_fields.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "sluice/error.hpp"

namespace sluice::adaptive_fields_test {
namespace {

const AdaptiveField& field(std::string_view name) {
    const auto all = adaptive_fields();
    return *std::ranges::find(all, name, &AdaptiveField::name);
}

AdaptiveOptions with(std::initializer_list<std::pair<std::string_view, std::string_view>> values) {
    AdaptiveOptions options;
    for (const auto& [name, text] : values) {
        field(name).set(options, text);
    }
    return options;
}

TEST(AdaptiveFields, EveryFieldOfTheModelAndOfItsTuningIsThereOnce) {
    for (const OptionField& plain : option_fields()) {
        EXPECT_EQ(field(plain.name).plain, &plain);
    }
    for (const char* name : {"number", "intercept", "alarms", "robust"}) {
        EXPECT_EQ(std::ranges::count(adaptive_fields(), std::string_view(name), &AdaptiveField::name), 1) << name;
    }
    EXPECT_EQ(adaptive_fields().size(), option_fields().size() + 4);
}

TEST(AdaptiveFields, TheDefaultsAreAuto) {
    const AdaptiveOptions defaults;
    for (const char* name : {"forgetting", "shrinkage", "components", "keep", "names"}) {
        EXPECT_EQ(field(name).get(defaults), "auto") << name;
        AdaptiveOptions same;
        field(name).set(same, "auto");
        EXPECT_EQ(same, defaults) << name;
    }
    EXPECT_EQ(field("number").get(defaults), "found");
}

TEST(AdaptiveFields, ACopyFieldByFieldIsEqual) {
    std::vector<AdaptiveOptions> all = {
        {},
        {.model = StreamOptions::paper(), .tuning = Tuning::off()},
        with({{"keep", "5,4"}, {"components", "2"}, {"forgetting", "0.98"}}),
        with({{"names", "all"}}),
        with({{"names", "12"}, {"number", "most"}, {"shrinkage", "3"}, {"intercept", "fixed"}, {"alarms", "no"}}),
        with({{"number", "most"}, {"hold_bonus", "0.5"}})};
    for (const AdaptiveOptions& from : all) {
        AdaptiveOptions to;
        to.tuning.variables = from.tuning.variables;  // has no field of its own: it is off with --paper only
        for (const AdaptiveField& one : adaptive_fields()) {
            one.set(to, one.get(from));
        }
        EXPECT_EQ(to, from);
    }
}

TEST(AdaptiveFields, ANumberForForgettingOrShrinkageTurnsItsTuningOff) {
    const AdaptiveOptions options = with({{"forgetting", "0.9"}, {"shrinkage", "2"}});
    EXPECT_FALSE(options.tuning.forgetting);
    EXPECT_FALSE(options.tuning.shrinkage);
    EXPECT_EQ(options.model.forgetting, 0.9);
    EXPECT_EQ(options.model.shrinkage, 2.0);
    EXPECT_TRUE(finds_variables(options));
}

TEST(AdaptiveFields, AStructureThatIsGivenMeansThatVariablesAreNotFound) {
    for (const auto& [name, text] : {std::pair{"components", "2"},
                                     {"keep", "3"},
                                     {"gamma", "0.2"},
                                     {"penalty", "mcp"},
                                     {"groups", "0,1"},
                                     {"deflation", "project"}}) {
        const AdaptiveOptions options = with({{name, text}});
        EXPECT_FALSE(finds_variables(options)) << name;
        EXPECT_TRUE(options.tuning.variables) << name;
    }
    EXPECT_TRUE(finds_variables({}));
    EXPECT_TRUE(finds_variables(with({{"components", "2"}, {"components", "auto"}})));
    EXPECT_TRUE(finds_variables(with({{"names", "7"}, {"hold_bonus", "1"}})));
    EXPECT_FALSE(finds_variables({.model = {}, .tuning = Tuning::off()}));
}

TEST(AdaptiveFields, NamesIsALimitOrAllAndNumberSaysWhetherTheLimitIsUsedUp) {
    EXPECT_EQ(with({{"names", "7"}}).model.names, 7U);
    EXPECT_EQ(with({{"names", "7"}}).tuning.names, Names::found);
    EXPECT_EQ(with({{"names", "7"}, {"number", "most"}}).tuning.names, Names::most);
    EXPECT_EQ(with({{"number", "most"}, {"number", "found"}}).tuning.names, Names::found);
    const AdaptiveOptions all = with({{"names", "7"}, {"names", "all"}, {"number", "found"}});
    EXPECT_EQ(all.tuning.names, Names::all);
    EXPECT_FALSE(all.model.names.has_value());
    EXPECT_EQ(with({{"names", "all"}, {"names", "auto"}}), AdaptiveOptions{});
    EXPECT_THROW(with({{"names", "all"}, {"number", "most"}}), OptionError);
    EXPECT_THROW(with({{"number", "most"}, {"names", "all"}}), OptionError);
    EXPECT_THROW(with({{"names", "some"}}), OptionError);
    EXPECT_THROW(with({{"number", "all"}}), OptionError);
}

TEST(AdaptiveFields, ThoseThatAreGoneSayWhatToUseAndAreNoFieldsAnyMore) {
    const auto removed = removed_fields();
    for (const char* name :
         {"keep_rule", "components_rule", "keep_min", "keep_max", "share_low", "share_high", "dwell"}) {
        EXPECT_EQ(std::ranges::count(removed, std::string_view(name), &RemovedField::name), 1) << name;
    }
    for (const RemovedField& one : removed) {
        EXPECT_TRUE(one.sentence.starts_with(std::string(one.name) + " is gone: ")) << one.sentence;
        EXPECT_EQ(std::ranges::count(adaptive_fields(), one.name, &AdaptiveField::name), 0) << one.name;
    }
}

}  // namespace
}  // namespace sluice::adaptive_fields_test
