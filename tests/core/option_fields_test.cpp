#include "sluice/option_fields.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "sluice/error.hpp"

namespace option_fields_test {
namespace {

using sluice::StreamOptions;

const std::map<std::string, std::string>& other_values() {
    static const std::map<std::string, std::string> values = {
        {"components", "3"},     {"keep", "20,10,5"},   {"gamma", "0.25"},       {"names", "12"},
        {"forgetting", "0.98"},  {"ridge", "0.1"},      {"center", "no"},        {"scale_inputs", "no"},
        {"scale_outputs", "no"}, {"balance", "raw"},    {"loadings", "instant"}, {"deflation", "project"},
        {"shrinkage", "0.5"},    {"clip", "none"},      {"hold_bonus", "0.5"},   {"penalty", "group_lasso"},
        {"elastic_mix", "0.75"}, {"scad_knee", "4"},    {"mcp_knee", "2"},       {"adaptive_power", "2"},
        {"groups", "0,0,1"},     {"engine", "columns"}, {"history", "float"},    {"memory_limit", "1000000"},
        {"threads", "4"}};
    return values;
}

TEST(OptionFields, EveryFieldChangesTheOptionsAndReadsBackAsItWasGiven) {
    std::size_t seen = 0;
    StreamOptions all;
    for (const auto& field : sluice::option_fields()) {
        const auto& value = other_values().at(std::string(field.name));
        StreamOptions options;
        field.set(options, value);
        EXPECT_NE(options, StreamOptions()) << field.name;
        EXPECT_EQ(field.get(options), value) << field.name;
        field.set(all, value);
        ++seen;
    }
    EXPECT_EQ(seen, other_values().size());

    StreamOptions again;  // what get() says is all there is to the options
    for (const auto& field : sluice::option_fields()) {
        field.set(again, field.get(all));
    }
    EXPECT_EQ(again, all);
}

TEST(OptionFields, DefaultsReadBackAsDefaults) {
    StreamOptions options = StreamOptions::paper();
    for (const auto& field : sluice::option_fields()) {
        field.set(options, field.get(StreamOptions()));
    }
    EXPECT_EQ(options, StreamOptions());
}

TEST(OptionFields, RefusesAnInvalidValueAndSaysWhatIsValid) {
    const std::map<std::string, std::string> wrong = {
        {"components", "two"}, {"keep", "3,x"},    {"forgetting", "0.9x"},
        {"center", "maybe"},   {"engine", "fast"}, {"memory_limit", "16Q"},
        {"names", "-1"},       {"threads", ""},    {"memory_limit", "9999999999T"}};
    for (const auto& field : sluice::option_fields()) {
        const auto at = wrong.find(std::string(field.name));
        if (at != wrong.end()) {
            StreamOptions options;
            EXPECT_THROW(field.set(options, at->second), sluice::OptionError) << field.name;
        }
    }
    StreamOptions options;
    try {
        const auto fields = sluice::option_fields();
        std::ranges::find(fields, "engine", &sluice::OptionField::name)->set(options, "fast");
        FAIL();
    } catch (const sluice::OptionError& error) {
        EXPECT_STREQ(error.what(), "\"fast\" is not one of automatic, dense, screened, columns");
    }
}

TEST(OptionFields, MemoryTakesUnits) {
    for (const auto& field : sluice::option_fields()) {
        if (field.name == "memory_limit") {
            StreamOptions options;
            field.set(options, "500M");
            EXPECT_EQ(options.memory_limit, std::size_t{500} << 20U);
            for (const char* text : {"500M", "16G", "3K", "1T", "1000000", "0", "1025"}) {
                field.set(options, text);
                EXPECT_EQ(field.get(options), text) << "in the unit in which it was given";
            }
        }
    }
}

}  // namespace
}  // namespace option_fields_test
